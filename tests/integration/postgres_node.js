// What the Node driver can do, printed: run with PGHOST and PGPORT of a server or of a proxy.
const { Client } = require('pg');
const Cursor = require('pg-cursor');
const { from, to } = require('pg-copy-streams');
const { pipeline } = require('node:stream/promises');
const { Readable, Writable } = require('node:stream');

const show = (...what) => console.log(...what.map((w) => JSON.stringify(w)));

async function prepared(client) {
    const query = { name: 'sum', text: 'SELECT $1::int + $2::int AS sum, $3::text AS word' };
    for (let i = 0; i < 7; ++i) {
        const result = await client.query({ ...query, values: [i, 1, `word ${i}`] });
        show(result.rows, result.fields.map((f) => [f.name, f.dataTypeID, f.format]));
    }
    const binary = await client.query({
        text: "SELECT 7::int4 AS a, '\\xdeadbeef'::bytea AS b", binary: true });
    show(binary.rows);
}

async function errors(client) {
    for (const text of ['SELECT 1/0', 'SELECT * FROM missing', 'SELEC 1']) {
        try {
            await client.query({ text, values: [] });
        } catch (error) {
            show(error.code, error.message, error.position, error.severity);
        }
    }
    show((await client.query('SELECT 1 AS alive')).rows);
}

async function cursors(client) {
    const cursor = client.query(new Cursor('SELECT g FROM generate_series(1, 2500) g'));
    let total = 0;
    for (let rows = await cursor.read(1000); rows.length; rows = await cursor.read(1000)) {
        total += rows.length;
    }
    await cursor.close();
    show(total);
}

async function copies(client) {
    await client.query('CREATE TEMP TABLE copied(a int, b text)');
    const lines = Array.from({ length: 3000 }, (_, i) => `${i}\trow ${i}\n`);
    await pipeline(Readable.from(lines), client.query(from('COPY copied FROM STDIN')));
    let size = 0;
    await pipeline(
        client.query(to('COPY copied TO STDOUT')),
        new Writable({ write(chunk, _, done) { size += chunk.length; done(); } }));
    show(size, (await client.query('SELECT count(*) FROM copied')).rows);
}

async function notifications(client) {
    const arrived = new Promise((resolve) => client.once('notification', resolve));
    await client.query('LISTEN tests');
    await client.query("NOTIFY tests, 'payload'");
    const { channel, payload } = await arrived;
    show(channel, payload);
}

async function main() {
    const client = new Client({ application_name: 'node' });
    await client.connect();
    await prepared(client);
    await errors(client);
    await cursors(client);
    await copies(client);
    await notifications(client);
    show((await client.query("SELECT 1; SELECT 'two' AS b; SELECT 3 WHERE false")).map((r) => r.rows));
    const parallel = await Promise.all([1, 2, 3].map((n) => client.query('SELECT $1::int AS n', [n])));
    show(parallel.map((r) => r.rows[0].n));
    await client.end();
}

main().catch((error) => { console.error(error); process.exit(1); });
