// What an application says by knex in the same words to every server.
const assert = require('node:assert');

module.exports = (knex) => ({
    async joins() {
        return [
            await knex('posts').join('users', 'users.id', 'posts.user_id').orderBy('title')
                .select('title', 'email'),
            await knex('users').leftJoin('posts', function () {
                this.on('posts.user_id', 'users.id').andOn('posts.draft', knex.raw('?', [true]));
            }).where('users.id', '<', 6).orderBy('users.id').select('users.id', 'title'),
            await knex('posts').innerJoin('users', 'users.id', 'posts.user_id').options({ nestTables: true })
                .orderBy('posts.id').limit(1).select('posts.title', 'users.email'),
        ];
    },
    async 'aggregates and groups'() {
        return [
            await knex('users').sum('balance as total').avg('balance as mean').first(),
            await knex('posts').groupBy('user_id').select('user_id').count('* as n')
                .having(knex.raw('count(*)'), '>', 1).orderBy('user_id'),
            await knex('users').min('id').max('id').countDistinct('role'),
            await knex('posts').select('title').rowNumber('n', (w) => w.orderBy('title')).orderBy('title'),
        ];
    },
    async transactions() {
        await knex.transaction(async (t) => {
            const row = await t('users').where('id', 1).forUpdate().first('balance');
            await t('users').where('id', 1).update({ balance: row.balance + 1 });
            await t.transaction((inner) => inner('users').where('id', 2).update({ balance: 0 }));
        });
        await assert.rejects(knex.transaction(async (t) => {
            await t('users').where('id', 1).update({ balance: -1 });
            throw new Error('no');
        }), /no/);
        const saved = await knex.transaction(async (t) => {
            await t.transaction(async (inner) => {
                await inner('users').insert({ email: 'ann@example.org' });
            }).catch(() => {});
            return t('users').count('* as n').first();
        });
        await knex.transaction((t) => t('users').where('id', 3).update({ balance: 9 }),
            { isolationLevel: 'serializable' });
        await knex.transaction((t) => t('users').orderBy('id').limit(1).forUpdate().skipLocked());
        return [saved, await knex('users').whereIn('id', [1, 2, 3]).orderBy('id').pluck('balance')];
    },
    async 'parallel transactions'() {
        await knex('users').where('id', 4).update({ balance: 0 });
        await Promise.all(Array.from({ length: 12 }, () => knex.transaction(async (t) => {
            const { balance } = await t('users').where('id', 4).forUpdate().first('balance');
            await t('users').where('id', 4).update({ balance: balance + 1 });
        })));
        return knex('users').where('id', 4).pluck('balance');
    },
    async streams() {
        const rows = [];
        for await (const row of knex('users').select('id').orderBy('id').stream()) {
            rows.push(row.id);
        }
        return rows;
    },
});
