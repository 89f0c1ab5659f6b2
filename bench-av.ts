import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { randomBytes, randomUUID } from 'node:crypto'
import { openDatabase } from './electron/engine/db/open.ts'
import { migrate } from './electron/engine/db/migrate.ts'
import { migrations } from './electron/engine/db/migrations.ts'
const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'av-'))
const key = randomBytes(32)
const make = (name: string, none: boolean) => {
  const db = openDatabase(path.join(dir, name), key, { create: true })
  migrate(db, migrations)
  if (none) { db.pragma('journal_mode = DELETE'); db.pragma('auto_vacuum = NONE'); db.exec('VACUUM'); db.pragma('journal_mode = WAL') }
  db.pragma('synchronous = OFF')
  const t = db.prepare("INSERT INTO token (id,type,container,created_at,data,fingerprint,metadata) VALUES (?,'card','/pci/high/',?,?,?,'{}')")
  const l = db.prepare("INSERT INTO log (at,actor_type,actor_id,operation,entity_type,entity_id,status,trace_id,duration_us,request) VALUES (?,'application',?,'tokens.create','token',?,201,?,80,'POST /tokens')")
  const app = randomUUID()
  return { db, av: db.pragma('auto_vacuum', { simple: true }), run(n: number) {
    const s = process.threadCpuUsage(); 
    for (let i = 0; i < n; i++) db.transaction(() => { for (let j=0;j<10;j++){const id = randomUUID(); t.run(id, Date.now(), randomBytes(200), randomBytes(32)); l.run(Date.now(), app, id, randomUUID())} }).immediate()
    const e = process.threadCpuUsage(s); return (e.user + e.system) / n / 10
  } }
}
const a = make('a.db', false), b = make('b.db', true)
console.log(a.av, b.av)
for (let r = 0; r < 6; r++) console.log('incremental', a.run(600).toFixed(1), 'none', b.run(600).toFixed(1), 'µs per create')
fs.rmSync(dir, { recursive: true })
