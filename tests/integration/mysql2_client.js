// Talks to a server with mysql2 and prints what it learns; run twice, the output must be the same.
// usage: node mysql2_client.js PORT [compress]
'use strict';
const mysql = require('mysql2/promise');

async function main(port, compress) {
  const connection = await mysql.createConnection({
    host: '127.0.0.1', port, user: 'tap', database: 'shop', multipleStatements: true, compress,
  });
  const show = async (what) => console.log(JSON.stringify((await what)[0]));
  await connection.query('DROP TABLE IF EXISTS node; CREATE TABLE node (a INT, b TEXT, c DATETIME)');
  for (let i = 0; i < 30; ++i) {
    await connection.execute('INSERT INTO node VALUES (?, ?, ?)', [i, `text ${i}`, '2001-02-03 04:05:06']);
  }
  await show(connection.execute('SELECT COUNT(*) AS n, SUM(a) AS s FROM node WHERE a > ?', [3]));
  await show(connection.query('SELECT 1 AS a; SELECT 2 AS b, 3 AS c; SET @x = 4'));
  await connection.beginTransaction();
  await connection.execute('DELETE FROM node WHERE a < ?', [10]);
  await connection.rollback();
  await show(connection.query('SELECT COUNT(*) AS n FROM node'));
  const failure = await connection.query('SELECT nonsense').catch((error) => error);
  console.log(failure.errno, failure.sqlState, failure.sqlMessage);
  await show(connection.query("SELECT LENGTH(REPEAT('x', 300000)) AS n, REPEAT('y', 20) AS y"));
  await connection.changeUser({user: 'tap', database: 'mysql'});
  await show(connection.query('SELECT DATABASE() AS d'));
  // Many at once: the driver sends the next as soon as the last is answered.
  const many = await Promise.all(
      Array.from({length: 50}, (_, i) => connection.execute('SELECT ? + 1 AS n', [i])));
  console.log(many.map((result) => result[0][0].n).join(' '));
  await connection.end();
}

main(Number(process.argv[2]), process.argv[3] === 'compress').catch((error) => {
  console.error(error);
  process.exit(1);
});
