// Deletes every token of a new vault like the window, and reports its progress until its parent kills it.
import { runCommand } from '../../electron/host/commands/run-command.ts'
import { Host } from '../../electron/host/host.ts'
import type { Json } from '../../shared/json.ts'
import { storedVault } from './start-host.ts'

const [dataDir = ''] = process.argv.slice(2)
const host = new Host({ version: '0', shell: 'console', dataDir, autoLock: false, undoMs: 0 })
async function callCommand<T>(name: string, input: Json): Promise<T> {
  const reply = await runCommand(host, { name, input })
  if (!reply.ok) throw new Error(reply.problem.detail)
  return reply.output as T
}
await callCommand('host.createVault', storedVault)
const tokens = Array.from({ length: 1000 }, (_, at) => ({ type: 'token', data: `value ${at}` }))
const { ids } = await callCommand<{ ids: string[] }>('tokens.createMany', { tokens })
const { selection } = await callCommand<{ selection: string }>('host.selectTokens', { selection: { ids } })
host.subscribe((event) => {
  if (event.type === 'progress') process.send?.(event.done)
})
await callCommand('host.changeTokens', { selection, action: { do: 'delete' } })
process.send?.('done')
