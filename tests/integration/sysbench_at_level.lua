-- sysbench's own oltp_read_write, at the isolation level that ISOTAP_LEVEL names.
require("oltp_read_write")

local init = thread_init

function thread_init()
   init()
   local whose = drv:name() == "pgsql" and "SESSION CHARACTERISTICS AS" or "SESSION"
   con:query("SET " .. whose .. " TRANSACTION ISOLATION LEVEL " .. os.getenv("ISOTAP_LEVEL"))
end
