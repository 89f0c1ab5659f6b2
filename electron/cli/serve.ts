import { Command, Option } from 'commander'
import { CofferError } from '../../shared/errors.ts'
import { createEphemeral } from '../host/ephemeral.ts'
import { createStarterApplications } from '../host/starter-applications.ts'
import { type Listener, openListener } from '../http/listener.ts'
import { banner } from './banner.ts'
import { defaultPort, note, parsePort, placeOf, say, withPlace } from './common.ts'
import { ephemeralNotice, type Unlocked, unlock } from './unlock.ts'

type ServeOptions = {
  dataDir?: string
  vault: string
  port: number
  ephemeral?: true
  corsOrigin: string[]
  allowHost: string[]
  json?: true
}

const collect = (value: string, before: string[]) => [...before, value]

/** `coffer serve`: opens the vault, or makes it, and answers on localhost until it is told to stop. */
export function serveCommand(): Command {
  return withPlace(new Command('serve'))
    .description('Open the vault, making it where there is none, and answer on localhost')
    .addOption(
      new Option('--port <port>', 'port to listen on; 0 picks a free one')
        .env('COFFER_PORT')
        .argParser(parsePort)
        .default(defaultPort),
    )
    .option('--ephemeral', 'use a vault in memory that is gone afterwards')
    .option('--cors-origin <url>', 'origin of a web page that may call; repeatable', collect, [])
    .option('--allow-host <host>', 'further Host to answer to; repeatable', collect, [])
    .option('--json', 'print one line of JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  coffer serve                         the vault "default" on port ${defaultPort}
  coffer serve --ephemeral --port 0    a throw-away vault on any free port
  coffer serve --cors-origin http://localhost:3000
  COFFER_PASSPHRASE=… coffer serve --json

Stop it with Ctrl-C. Whatever was answered is on disk.`,
    )
    .action(async (options: ServeOptions) => serve(options))
}

async function serve(options: ServeOptions): Promise<void> {
  const started = performance.now()
  for (const origin of options.corsOrigin) checkOrigin(origin)
  const unlocked: Unlocked = options.ephemeral
    ? { vault: createEphemeral(), state: 'ephemeral' }
    : await unlock(placeOf(options), { create: 'any' })
  const { vault, state } = unlocked
  try {
    if (state === 'ephemeral' && !options.ephemeral) note(ephemeralNotice)
    const keys = state === 'opened' ? undefined : await createStarterApplications(vault.engine)
    const listener = await openListener({
      engine: () => vault.engine,
      port: options.port,
      origins: options.corsOrigin,
      hosts: options.allowHost,
    })
    vault.announce(listener.url)
    stopOnSignal(listener, () => vault.lock())
    const facts = {
      url: listener.url,
      tenant_id: vault.engine.tenant_id,
      created: state !== 'opened',
      ...(keys && { keys }),
      ...(unlocked.recovery_key !== undefined && { recovery_key: unlocked.recovery_key }),
    }
    if (options.json) say(JSON.stringify(facts))
    else banner({ ...facts, name: vault.name, state, ready_ms: Math.round(performance.now() - started) })
  } catch (error) {
    vault.lock()
    throw error
  }
}

function checkOrigin(origin: string): void {
  const url = URL.canParse(origin) ? new URL(origin) : null
  if (url && ['http:', 'https:'].includes(url.protocol) && url.origin === origin) return
  throw new CofferError(
    'invalid',
    'An origin is scheme, host and port without a path, such as http://localhost:3000.',
  )
}

/** Finishes what was begun, then ends with exit code 0; a second signal does not wait. */
function stopOnSignal(listener: Listener, lock: () => void): void {
  let stopping = false
  const stop = async () => {
    if (stopping) process.exit(0)
    stopping = true
    await listener.close()
    lock()
    process.exit(0)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}
