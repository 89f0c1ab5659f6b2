import { Command } from 'commander'
import { examine, type Finding } from '../../host/doctor.ts'
import { incidentsOf } from '../../host/incidents/incidents.ts'
import { hintFor } from '../hint.ts'
import { placeOf, say, withPlace } from '../terminal/common.ts'
import { keyOfPlace } from '../terminal/open-vault.ts'
import { withProgress } from '../terminal/progress.ts'

function lineOf({ about, state, text, todo }: Finding): string {
  return `${state.padEnd(4)}  ${about.padEnd(11)}  ${text}${todo === undefined ? '' : ` ${todo}`}`
}

/** The count of internal errors; null where their file cannot be read, which is itself a finding. */
function incidentsIn(dataDir: string) {
  try {
    const { count, since, last, file } = incidentsOf(dataDir).look()
    return { count, since, last, file }
  } catch {
    return null
  }
}

/** `coffer doctor`: checks everything around a vault that can go wrong. */
export function doctorCommand(): Command {
  return withPlace(new Command('doctor'))
    .description('Check a vault and everything around it, and say what to do')
    .option('--open', 'also open it, with the passphrase or recovery key, and check every page and the log')
    .option('--json', 'print one line of JSON for programs')
    .addHelpText(
      'after',
      `
Examples:
  coffer doctor                        needs no key, but uses one from the keychain
  COFFER_PASSPHRASE=… coffer doctor --open --vault work

It changes nothing, and the vault may be open. Each line says ok, warn or fail. If one says fail, the exit code is 1.`,
    )
    .action(async (options: { dataDir?: string; vault: string; open?: true; json?: true }) => {
      const place = placeOf(options)
      const { dataDir, vault: name } = place
      const open = options.open ? async () => (await keyOfPlace(place)).master : undefined
      const command = (vault: string, ...words: string[]) => hintFor({ dataDir, vault }, ...words)
      const findings = await withProgress('Checking', (watch) =>
        examine({ dataDir, name, now: Date.now(), command }, open, watch),
      )
      if (findings.some(({ state }) => state === 'fail')) process.exitCode = 1
      if (options.json) {
        return say(
          JSON.stringify({ vault: name, data_dir: dataDir, findings, incidents: incidentsIn(dataDir) }),
        )
      }
      for (const finding of findings) say(lineOf(finding))
    })
}
