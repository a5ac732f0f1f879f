// What an application does on MariaDB or MySQL with knex, a query builder and migration tool for
// Node, by the driver mysql2. The tests are ours; knex's own are not published.
//
// usage: knex_mysql_suite.js PORT FOLDER
const [port, folder] = process.argv.slice(2);
const assert = require('node:assert');
const makeKnex = require(`${folder}/node_modules/knex`);
const runTests = require('./node_verdicts.js');
const makeQueries = require('./knex_queries.js');

const knex = makeKnex({
    client: 'mysql2',
    connection: { host: '127.0.0.1', port: Number(port), user: 'tap', database: 'shop', timezone: 'Z' },
    pool: { min: 0, max: 4 },
});
const isMariadb = async () => (await knex.raw('select version() as v'))[0][0].v.includes('MariaDB');

/// A migration source that needs no files.
const migrations = [
    { name: '1_orders', up: (k) => k.schema.createTable('orders', (t) => {
        t.increments(); t.integer('user_id').unsigned(); t.decimal('total', 8, 2); }),
      down: (k) => k.schema.dropTable('orders') },
    { name: '2_state', up: (k) => k.schema.alterTable('orders', (t) => { t.string('state', 10).defaultTo('new'); }),
      down: (k) => k.schema.alterTable('orders', (t) => t.dropColumn('state')) },
    { name: '3_fill', up: (k) => k('orders').insert([{ user_id: 1, total: 9.5 }, { user_id: 2, total: 3 }]),
      down: (k) => k('orders').del() },
];
const migrationSource = {
    getMigrations: async () => migrations,
    getMigrationName: (one) => one.name,
    getMigration: async (one) => one,
};

const shared = makeQueries(knex);
const tests = {
    async 'schema builder'() {
        await knex.schema.dropTableIfExists('posts');
        await knex.schema.dropTableIfExists('users');
        await knex.schema.createTable('users', (table) => {
            table.increments('id');
            table.string('email').notNullable().unique();
            table.enu('role', ['reader', 'writer']).defaultTo('reader');
            table.integer('balance').defaultTo(0);
            table.json('settings');
            table.datetime('created_at').defaultTo('2001-02-03 04:05:06');
            table.timestamp('seen_at').nullable();
        });
        await knex.schema.createTable('posts', (table) => {
            table.uuid('id').primary();
            table.integer('user_id').unsigned().references('users.id').onDelete('CASCADE');
            table.text('title');
            table.boolean('draft').defaultTo(true);
            table.index(['user_id', 'draft']);
        });
        assert(await knex.schema.hasTable('posts'));
        assert(await knex.schema.hasColumn('users', 'balance'));
        return [await knex.schema.hasTable('missing'), await knex.schema.hasColumn('users', 'age')];
    },
    async insert() {
        const ids = [];
        for (const [i, name] of ['ann', 'bob', 'cleo', 'dan', 'eve'].entries()) {
            ids.push(await knex('users').insert({ email: `${name}@example.org`,
                role: i % 2 ? 'writer' : 'reader', balance: i * 10,
                settings: JSON.stringify({ theme: name }) }));
        }
        ids.push(await knex('posts').insert([1, 2, 3, 4, 5, 6].map((i) => ({
            id: `00000000-0000-0000-0000-00000000000${i}`, user_id: i % 5 + 1,
            title: `post ${i}`, draft: i % 3 === 0 }))));
        return ids;
    },
    async 'batch insert'() {
        const rows = Array.from({ length: 120 }, (_, i) => ({ email: `n${i}@example.org` }));
        return knex.batchInsert('users', rows, 50);
    },
    async upsert() {
        const ignored = await knex('users').insert({ email: 'ann@example.org' })
            .onConflict('email').ignore();
        const merged = await knex('users').insert({ email: 'bob@example.org', balance: 77 })
            .onConflict('email').merge(['balance']);
        const replaced = await knex.raw('replace into posts (id, user_id, title) values (?, ?, ?)',
            ['00000000-0000-0000-0000-000000000001', 1, 'again']);
        return [ignored, merged, replaced[0].affectedRows,
            await knex('users').where('email', 'bob@example.org').pluck('balance')];
    },
    async select() {
        return [
            await knex('users').orderBy('id').first(),
            await knex('users').select('id', 'email').where({ role: 'writer' }).orderBy('id').limit(3),
            await knex('users').whereIn('id', [1, 2]).andWhere('balance', '>=', 0).pluck('email'),
            await knex('users').whereBetween('id', [2, 4]).orWhereNull('role').count('* as n'),
            await knex('users').whereRaw("json_extract(settings, '$.theme') = ?", ['ann']).pluck('id'),
            await knex('users').distinct('role').orderBy('role'),
            await knex('users').orderBy('id').limit(2).offset(2).select('email'),
        ];
    },
    joins: shared.joins,
    'aggregates and groups': shared['aggregates and groups'],
    async subqueries() {
        const writers = knex('users').where({ role: 'writer' }).select('id');
        return [
            await knex('posts').whereIn('user_id', writers).orderBy('title').pluck('title'),
            await knex('users').whereExists(knex('posts').whereRaw('posts.user_id = users.id'))
                .orderBy('id').pluck('id'),
            await knex('users').whereNotExists(knex('posts').whereRaw('posts.user_id = users.id'))
                .count('* as n'),
            await knex.with('rich', knex('users').where('balance', '>', 15)).from('rich')
                .orderBy('id').pluck('email'),
            await knex.select('*').from(knex('posts').select('title').as('p')).orderBy('title').limit(2),
            await knex('users').where('id', 1).select('id').unionAll(knex('posts').select('user_id'))
                .orderBy('id'),
        ];
    },
    async 'update and delete'() {
        return [
            await knex('users').where('id', 1).update({ balance: 5 }),
            await knex('users').where('id', 1).update({ balance: 5 }),
            await knex('users').where('id', 2).increment('balance', 3),
            await knex('users').where('id', '<', 3).update({ role: 'writer' }),
            await knex('posts').where({ draft: true }).del(),
            await knex('users').where('email', 'like', 'n%').del(),
            await knex('posts').where('title', 'missing').del(),
            await knex('users').orderBy('id').select('id', 'balance', 'role'),
        ];
    },
    transactions: shared.transactions,
    'parallel transactions': shared['parallel transactions'],
    async errors() {
        const failures = [];
        for (const query of [
            () => knex('users').insert({ email: 'ann@example.org' }),
            () => knex('missing').select(),
            () => knex('users').where('bogus', 1),
            () => knex('users').insert({ email: null }),
            () => knex('posts').insert({ id: '00000000-0000-0000-0000-0000000000ff', user_id: 9999 }),
            () => knex.raw('select from users order by id'),
        ]) {
            await assert.rejects(query(), (error) => {
                failures.push([error.code, error.errno, error.sqlState, error.sqlMessage]);
                return true;
            });
        }
        return failures;
    },
    async raw() {
        const [rows, fields] = await knex.raw('select id, ? as word from users where id = ?', ['x', 1]);
        const [updated] = await knex.raw('update users set balance = balance where id < 3');
        return [rows, fields.map((f) => [f.name, f.columnType, f.flags, f.orgTable]),
            updated.info, updated.affectedRows, updated.changedRows];
    },
    streams: shared.streams,
    async migrations() {
        const done = await knex.migrate.latest({ migrationSource });
        const orders = await knex('orders').orderBy('id');
        const undone = await knex.migrate.rollback({ migrationSource });
        return [done[1], orders, undone[1], await knex.schema.hasTable('orders')];
    },
    async 'tables that are changed'() {
        await knex.schema.createTable('notes', (table) => {
            table.increments();
            table.string('word');
        });
        await knex('notes').insert([{ word: 'one' }, { word: 'two' }]);
        await knex('notes').where('word', 'one').update({ word: 'three' });
        await knex.schema.alterTable('notes', (table) => {
            table.integer('rank').defaultTo(1);
            table.renameColumn('word', 'term');
        });
        await knex('notes').where('term', 'three').update({ rank: 2 });
        const notes = await knex('notes').orderBy('id');
        await knex.schema.renameTable('notes', 'remarks');
        await knex('remarks').insert({ term: 'new' });
        await knex.schema.createTableLike('copies', 'remarks');
        await knex('copies').insert(knex('remarks').select('id', 'term', 'rank'));
        const copies = await knex('copies').orderBy('id');
        await knex('remarks').truncate();
        const left = await knex('remarks').count('* as n');
        await knex.schema.dropTable('remarks').dropTable('copies');
        return [notes, copies, left];
    },
    async 'databases and temporary tables'() {
        await knex.raw('create database if not exists other');
        await knex.schema.withSchema('other').createTable('items', (t) => { t.integer('id').primary(); });
        await knex.withSchema('other').table('items').insert([{ id: 1 }, { id: 2 }]);
        const ids = await knex.withSchema('other').from('items').orderBy('id').pluck('id');
        const temporary = await knex.transaction(async (t) => {
            await t.raw('create temporary table held (id int)');
            await t('held').insert({ id: 7 });
            return t('held').select();
        });
        await knex.raw('drop database other');
        return [ids, temporary, await isMariadb()];
    },
};

runTests(tests).finally(() => knex.destroy());
