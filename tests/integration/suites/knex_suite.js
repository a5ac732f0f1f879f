// What an application does on PostgreSQL with knex, a query builder and migration tool for Node. The
// tests are ours; knex's own are not published.
//
// usage: knex_suite.js PORT FOLDER
const [port, folder] = process.argv.slice(2);
const assert = require('node:assert');
const makeKnex = require(`${folder}/node_modules/knex`);
const runTests = require('./node_verdicts.js');
const makeQueries = require('./knex_queries.js');

const knex = makeKnex({
    client: 'pg',
    connection: { host: '127.0.0.1', port: Number(port), user: 'postgres', database: 'knex' },
    pool: { min: 0, max: 4 },
});

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
            table.jsonb('settings');
            table.specificType('tags', 'text[]');
            table.timestamps(true, true);
        });
        await knex.schema.createTable('posts', (table) => {
            table.uuid('id').primary();
            table.integer('user_id').references('users.id').onDelete('CASCADE');
            table.text('title');
            table.boolean('draft').defaultTo(true);
            table.index(['user_id', 'draft']);
        });
        assert(await knex.schema.hasTable('posts'));
        assert(await knex.schema.hasColumn('users', 'balance'));
        const columns = await knex('users').columnInfo();
        return Object.keys(columns).sort();
    },
    async insert() {
        const ids = [];
        for (const [i, name] of ['ann', 'bob', 'cleo', 'dan', 'eve'].entries()) {
            const [row] = await knex('users').insert({
                email: `${name}@example.org`, role: i % 2 ? 'writer' : 'reader', balance: i * 10,
                settings: { theme: name }, tags: [name, 'all'] }).returning(['id', 'email']);
            ids.push(row);
        }
        await knex('posts').insert([1, 2, 3, 4, 5, 6].map((i) => ({
            id: `00000000-0000-0000-0000-00000000000${i}`, user_id: i % 5 + 1,
            title: `post ${i}`, draft: i % 3 === 0 })));
        return ids;
    },
    async 'batch insert'() {
        const rows = Array.from({ length: 120 }, (_, i) => ({ email: `n${i}@example.org` }));
        const ids = await knex.batchInsert('users', rows, 50).returning('id');
        return [ids.length, ids[0], ids[119]];
    },
    async upsert() {
        const ignored = await knex('users').insert({ email: 'ann@example.org' })
            .onConflict('email').ignore().returning('id');
        const merged = await knex('users').insert({ email: 'bob@example.org', balance: 77 })
            .onConflict('email').merge(['balance']).returning(['email', 'balance']);
        const guarded = await knex('users').insert({ email: 'bob@example.org', balance: 1 })
            .onConflict('email').merge({ balance: knex.raw('users.balance + 1') })
            .where('users.balance', '>', 70).returning('balance');
        return [ignored, merged, guarded];
    },
    async select() {
        const first = await knex('users').orderBy('id').first();
        delete first.created_at;
        delete first.updated_at;
        return [
            first,
            await knex('users').select('id', 'email').where({ role: 'writer' }).orderBy('id').limit(3),
            await knex('users').whereIn('id', [1, 2]).andWhere('balance', '>=', 0).pluck('email'),
            await knex('users').whereBetween('id', [2, 4]).orWhereNull('role').count('* as n'),
            await knex('users').where('settings', '@>', { theme: 'ann' }).select('tags'),
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
                .count('*'),
            await knex.with('rich', knex('users').where('balance', '>', 15)).from('rich')
                .orderBy('id').pluck('email'),
            await knex.select('*').from(knex('posts').select('title').as('p')).orderBy('title').limit(2),
            await knex('users').where('id', 1).select('id').union(knex('posts').select('user_id'))
                .orderBy('id'),
            await knex.withRecursive('n', knex.raw('select 1 as i union all select i + 1 from n '
                + 'join users on users.id = n.i where i < 5')).from('n').orderBy('i').pluck('i'),
        ];
    },
    async 'update and delete'() {
        return [
            await knex('users').where('id', 1).update({ balance: 5 }),
            await knex('users').where('id', 2).increment('balance', 3).returning('balance'),
            await knex('users').where('id', '<', 3).update({ role: 'writer' }, ['id', 'role']),
            await knex('posts').updateFrom('users').whereRaw('users.id = posts.user_id')
                .andWhere('users.id', 2).update({ title: knex.raw('email') }),
            await knex('posts').where({ draft: true }).del(),
            await knex('users').where('email', 'like', 'n%').del(),
            await knex('posts').where('title', 'missing').del().returning('id'),
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
            () => knex.raw('select 1/(id - 1) from users order by id'),
        ]) {
            await assert.rejects(query(), (error) => {
                failures.push([error.code, error.position, error.message, error.column, error.constraint]);
                return true;
            });
        }
        return failures;
    },
    async raw() {
        const result = await knex.raw('select id, ?::text as word from users where id = ?', ['x', 1]);
        return [result.command, result.rowCount, result.rows,
            result.fields.map((f) => [f.name, f.dataTypeID, f.columnID])];
    },
    streams: shared.streams,
    async 'tables that are changed'() {
        await knex.transaction(async (t) => {
            await t.schema.createTable('notes', (table) => {
                table.increments();
                table.text('word');
            });
            await t('notes').insert([{ word: 'one' }, { word: 'two' }]);
            await t('notes').where('word', 'one').update({ word: 'three' });
        });
        await knex.schema.alterTable('notes', (table) => {
            table.integer('rank').defaultTo(1);
            table.renameColumn('word', 'term');
        });
        const notes = await knex('notes').orderBy('id');
        await knex('notes').truncate();
        const left = await knex('notes').count();
        await knex.schema.renameTable('notes', 'remarks');
        await knex('remarks').insert({ term: 'new' });
        await knex.schema.withSchema('public').dropTable('remarks');
        return [notes, left];
    },
    async 'schemas and temporary tables'() {
        await knex.schema.createSchemaIfNotExists('shop');
        await knex.schema.withSchema('shop').createTable('items', (t) => { t.integer('id').primary(); });
        await knex.withSchema('shop').table('items').insert([{ id: 1 }, { id: 2 }]);
        const ids = await knex.withSchema('shop').from('items').orderBy('id').pluck('id');
        const temporary = await knex.transaction(async (t) => {
            await t.raw('create temporary table held (id int) on commit drop');
            await t('held').insert({ id: 7 });
            return t('held').select();
        });
        await knex.schema.dropSchema('shop', true);
        return [ids, temporary];
    },
};

runTests(tests).finally(() => knex.destroy());
