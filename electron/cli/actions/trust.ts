import { mergeDestinations } from '../../../shared/destinations.ts'
import { CofferError } from '../../../shared/errors.ts'
import { listAnswered, listHostNames } from '../../as-hosted/answered-names.ts'
import { getAuthorityFiles, hasAuthority } from '../../host/authority/authority-record.ts'
import {
  type AuthorityReport,
  addToStores,
  createAuthority,
  inspectAuthority,
  LASTING_DAYS,
  removeAuthority,
} from '../../host/authority/lasting-authority.ts'
import {
  canAddTo,
  describeStore,
  getAddCommand,
  getSha1,
  listTrustStores,
  type TrustStore,
} from '../../host/authority/trust-stores.ts'
import { readSettingsFile } from '../../host/files/settings-file.ts'
import { formatCommandLine, formatFolderCommand } from '../hint.ts'
import { requireProtection } from '../terminal/open-vault.ts'
import { askLine, hasTerminal } from '../terminal/prompt.ts'
import { UsageError } from '../terminal/usage-error.ts'
import { printHint, printLine, toVaultLocation } from '../terminal/vault-options.ts'

export type TrustCommandOptions = {
  dataDir?: string
  mapDestination: Record<string, string>
  yes?: true
  print?: true
  remove?: true
  status?: true
  json?: true
}

export async function runTrust(options: TrustCommandOptions): Promise<void> {
  const { print, remove, status, json } = options
  if ([print, remove, status].filter(Boolean).length > 1)
    throw new UsageError('Use only one of --print, --remove and --status.')
  const { dataDir } = toVaultLocation({ ...options, vault: '' })
  if (status) return printReport(dataDir, await inspectAuthority(dataDir), json)
  if (remove) return undoTrust(dataDir, json)
  return createTrust(dataDir, options)
}

async function createTrust(
  dataDir: string,
  { mapDestination, yes, print, json }: TrustCommandOptions,
): Promise<void> {
  const { destinations } = readSettingsFile(dataDir).content.settings
  const answered = listAnswered(mergeDestinations(destinations, { allow: [], map: mapDestination }))
  const names = listHostNames(answered)
  const stores = listTrustStores()
  const plan = describePlan(dataDir, names, stores)
  if (print) return printLine(plan)
  if (hasAuthority(dataDir)) {
    const remove = formatFolderCommand(dataDir, 'trust', '--remove')
    throw new CofferError('conflict', `There is already a lasting authority. Remove it first: ${remove}`)
  }
  printHint(plan)
  if (!yes) await confirmTrust()
  const record = await createAuthority(dataDir, names, stores, await requireProtection('authority'))
  const usable = stores.filter(canAddTo)
  const failed = await addToStores(dataDir, record, usable)
  if (failed.length > 0) process.exitCode = 1
  for (const store of stores.filter((each) => failed.includes(each) || !usable.includes(each))) {
    const command = formatCommandLine(
      getAddCommand(store, getSha1(record.root), getAuthorityFiles(dataDir).certificate),
    )
    printHint(`The certificate was not added to ${describeStore(store)}. Add it with: ${command}`)
  }
  printReport(dataDir, await inspectAuthority(dataDir), json)
}

function describePlan(dataDir: string, names: readonly string[], stores: readonly TrustStore[]): string {
  const { certificate, record } = getAuthorityFiles(dataDir)
  const lines = stores.map((store) => {
    const command = formatCommandLine(getAddCommand(store, '<fingerprint>', certificate))
    return canAddTo(store)
      ? `It is added to ${describeStore(store)}, for your user alone:\n  ${command}`
      : `Coffer cannot add it to ${describeStore(store)}, so you would run this yourself:\n  ${command}`
  })
  return [
    `coffer trust creates a certificate authority, valid for ${LASTING_DAYS} days, for exactly these names:`,
    ...names.map((name) => `  ${name}`),
    `Its certificate is stored in ${certificate}`,
    `The key that signs is stored in ${record}, sealed by the keychain or a passphrase.`,
    ...lines,
    'Until it expires, whoever obtains the key can pretend to be these names, and names below them, to your browser.',
    `Undo everything with: ${formatFolderCommand(dataDir, 'trust', '--remove')}`,
  ].join('\n')
}

async function confirmTrust(): Promise<void> {
  if (!hasTerminal())
    throw new CofferError('forbidden', 'An authority is created only when its owner confirms it. Add --yes')
  if ((await askLine('Type yes to continue: ')) !== 'yes')
    throw new CofferError('forbidden', 'That is not yes. Nothing was done.')
}

async function undoTrust(dataDir: string, json: true | undefined): Promise<void> {
  const existed = hasAuthority(dataDir)
  const remained = await removeAuthority(dataDir)
  const isGone = remained.stores.length === 0 && !remained.keychain
  for (const store of remained.stores)
    printHint(
      `The certificate may still be in ${describeStore(store)}. Remove it with: ${formatCommandLine(store.remove)}`,
    )
  if (remained.keychain)
    printHint('The keychain still has the entry of the authority, which is of no use without its key.')
  if (!isGone) {
    process.exitCode = 1
    printHint(
      `The key is destroyed. Repeat the command to remove the rest, or delete ${getAuthorityFiles(dataDir).folder}`,
    )
  }
  if (json) return printLine(JSON.stringify({ removed: existed && isGone, remained }))
  if (isGone) printLine(existed ? 'The lasting authority is removed.' : 'There is no lasting authority.')
}

function printReport(dataDir: string, report: AuthorityReport | null, json: true | undefined): void {
  if (json) return void printLine(JSON.stringify(report ?? { state: 'absent' }))
  if (!report)
    return void printLine(
      `There is no lasting authority. Create one with: ${formatFolderCommand(dataDir, 'trust')}`,
    )
  const { state, names, fingerprint, expires_at, key, folder, stores } = report
  printLine(`The lasting authority in ${folder} is ${state}.`)
  if (fingerprint === null) return
  printLine(`Fingerprint  ${fingerprint}`)
  printLine(`Expires      ${expires_at}`)
  printLine(`Key          ${key === null ? 'destroyed' : `sealed by the ${key}`}`)
  for (const store of stores) printLine(`Trusted      ${store.trusted}, in ${describeStore(store)}`)
  for (const name of names) printLine(`Name         ${name}`)
}
