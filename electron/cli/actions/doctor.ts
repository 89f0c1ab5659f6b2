import { examine, type Finding } from '../../host/doctor.ts'
import { incidentsOf } from '../../host/incidents/incidents.ts'
import { hintFor } from '../hint.ts'
import { placeOf, say } from '../terminal/common.ts'
import { keyOfPlace } from '../terminal/open-vault.ts'
import { withProgress } from '../terminal/progress.ts'

export async function examineVault(options: {
  dataDir?: string
  vault: string
  open?: true
  json?: true
}): Promise<void> {
  const place = placeOf(options)
  const { dataDir, vault: name } = place
  const open = options.open ? async () => (await keyOfPlace(place)).master : undefined
  const command = (vault: string, ...words: string[]) => hintFor({ dataDir, vault }, ...words)
  const findings = await withProgress('Checking', (watch) =>
    examine({ dataDir, name, now: Date.now(), command }, open, watch),
  )
  if (findings.some(({ state }) => state === 'fail')) process.exitCode = 1
  if (options.json) {
    return say(JSON.stringify({ vault: name, data_dir: dataDir, findings, incidents: incidentsIn(dataDir) }))
  }
  for (const finding of findings) say(lineOf(finding))
}

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
