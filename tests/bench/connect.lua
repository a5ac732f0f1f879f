-- For sysbench: connect, authenticate, one query, leave; each one is an event.
function thread_init()
   driver = sysbench.sql.driver()
end

function event()
   local connection = driver:connect()
   connection:query("SELECT 1")
   connection:disconnect()
end
