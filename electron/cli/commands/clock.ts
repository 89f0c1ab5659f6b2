import { CofferCommand } from '../terminal/coffer-command.ts'
import { parseDuration } from '../terminal/duration.ts'
import type { PrintOptions } from '../terminal/server-options.ts'

/** `coffer clock`: reads and sets the clock of a running in-memory vault. */
export function clockCommand(): CofferCommand {
  const clock = new CofferCommand('clock')
    .description('Read and set the clock of a running in-memory vault')
    .withHelp('Examples:\n  coffer clock advance 1h\n  coffer clock set 2031-01-01T00:00:00Z')
  const createPart = (name: string) => new CofferCommand(name).withServer().withJson()
  clock.addCommand(
    createPart('show')
      .description('Print the time of the vault')
      .withHelp('Examples:\n  coffer clock show')
      .action(async (options: PrintOptions) => (await import('../actions/clock.ts')).showClock(options)),
  )
  clock.addCommand(
    createPart('advance')
      .argument('<duration>', 'how far, such as 90s, 15m, 1h30m, 7d or 2w', parseDuration)
      .description('Advance the clock; what has expired by then is removed immediately')
      .withHelp('Examples:\n  coffer clock advance 1h\n  coffer clock advance 30d --json')
      .action(async (duration: number, options: PrintOptions) =>
        (await import('../actions/clock.ts')).setClock(options, { advance: duration / 1000 }),
      ),
  )
  clock.addCommand(
    createPart('set')
      .argument('<time>', 'a date and time, such as 2031-01-01T00:00:00Z')
      .description('Set the clock, also back')
      .withHelp('Examples:\n  coffer clock set 2031-01-01T00:00:00Z')
      .action(async (now: string, options: PrintOptions) =>
        (await import('../actions/clock.ts')).setClock(options, { now }),
      ),
  )
  return clock
}
