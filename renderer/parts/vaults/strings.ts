import { formatSize } from '../../../shared/format-size.ts'
import { MIN_PASSPHRASE_LENGTH } from '../../../shared/passphrase.ts'
import { formatRestored, formatWorkingAgain, type RestoreCounts } from '../../../shared/restore-counts.ts'
import type { BackupSummary } from '../../../shared/schemas/backup.ts'
import { formatExactTime } from '../../ui/time/relative-time.ts'

export const strings = {
  newVault: 'New vault',
  lock: 'Lock this vault',
  backedUp: 'Backed up',
  clock: {
    hour: '+1 hour',
    day: '+1 day',
    expiry: 'To the next expiry',
    back: 'Back to this computer’s time',
  },
  stop: 'Stop',
  percent: (n: number) => `${n}%`,
  /** For example `about 40 s left` or `about 3 min left`. */
  left: (seconds: number) =>
    seconds < 60 ? `about ${seconds} s left` : `about ${Math.round(seconds / 60)} min left`,
  protection: {
    legend: 'Protection',
    keychain: {
      label: 'Keychain',
      text: 'Opens without a passphrase while you are signed in to this machine.',
    },
    passphrase: {
      label: 'Passphrase',
      text: 'Required every time. Without it, only the recovery key opens the vault.',
    },
    memory: { label: 'None, in memory only', text: 'For trying things out. Deleted when Coffer stops.' },
  },
  passphrase: {
    first: 'Passphrase',
    again: 'Confirm passphrase',
    help: `At least ${MIN_PASSPHRASE_LENGTH} characters. Four or five random words are easy to remember and hard to guess.`,
    short: `Use at least ${MIN_PASSPHRASE_LENGTH} characters.`,
    differs: 'The passphrases do not match.',
    weak: (reason: string) => `Too easy to guess: it ${reason}.`,
    strength: [
      'Too easy to guess.',
      'Too easy to guess.',
      'Acceptable. One more random word makes it much harder to guess.',
      'Good.',
      'Strong.',
    ],
  },
  owner: {
    passphrase: 'Vault passphrase',
    keychain: 'Coffer also reads the vault’s secret from the keychain again.',
    missing: {
      passphrase: 'Enter the current passphrase of the vault.',
      recovery: 'Enter the recovery key.',
      keychain: 'Type the name to confirm.',
      memory: 'Type the name to confirm.',
    },
  },
  recovery: {
    title: 'Save your recovery key',
    text: 'It opens this vault on any machine, even if the keychain is lost or the passphrase forgotten. It is shown only once, and Coffer keeps no copy.',
    draft:
      'Once you confirm that you have saved this key, it replaces the old recovery key. It is shown only once, and Coffer keeps no copy.',
    what: 'recovery key',
    save: 'Save to a file',
    print: 'Print',
    saved: (name: string) => `coffer-${name}-recovery-key.txt`,
    file: (name: string, key: string) =>
      `Recovery key of the Coffer vault "${name}"\n\n${key}\n\nIt opens the vault on any machine. Keep it where nobody else can read it.\n`,
    check: (n: number) => `Type group ${n} of the key to confirm that you have it`,
    wrong: (n: number) => `That is not group ${n}. Compare it with the key you saved.`,
    next: 'I have saved it',
    notSaved: 'The new recovery key was discarded. Nothing was changed.',
    renewed:
      'An earlier version of Coffer created this vault, so its recovery key has to change too. This happens only once.',
    sheet: (name: string) => `Recovery key of the Coffer vault "${name}"`,
  },
  unlock: {
    openTitle: (name: string) => `Open ${name}`,
    insteadOf: (name: string) => `This locks ${name}. Programs will reach the vault you open here instead.`,
    insteadOfMemory: 'Opening another vault deletes the in-memory vault.',
    passphrase: 'Passphrase',
    recovery: 'Recovery key',
    recoveryHelp: 'Ten groups of four letters and digits. Case, spaces and dashes do not matter.',
    unlock: 'Unlock',
    open: 'Open with the keychain',
    keychainText: 'The key of this vault is in the keychain of this machine.',
    useRecovery: 'Use the recovery key',
    usePassphrase: 'Use the passphrase',
    useKeychain: 'Use the keychain',
    acceptLoss: (commits: number) =>
      commits === 0
        ? 'Open it anyway. Coffer first saves a copy of everything.'
        : `I accept the loss of ${commits} ${commits === 1 ? 'commit' : 'commits'}. Coffer first saves a copy of everything.`,
    openWithout: (commits: number) =>
      commits === 0 ? 'Open it anyway' : `Open it without ${commits} ${commits === 1 ? 'commit' : 'commits'}`,
    openedWithout: 'Opened without the missing commits. Settings → Vaults shows where the copy is.',
    damaged: (problem: string) => `This vault cannot be read: ${problem}`,
  },
  restore: {
    title: 'Restore a backup',
    text: 'Creates a new vault from the backup. Existing vaults are not changed. Anything deleted since the backup comes back, and deleted application keys work again.',
    backup: 'Backup',
    choose: 'Choose a backup',
    elsewhere: 'Another file…',
    of: ({ name = '', made_at = '', bytes = 0 }: BackupSummary) =>
      `${name}, ${formatExactTime(Date.parse(made_at))}, ${formatSize(bytes)}`,
    file: 'Backup file',
    fileHelp: 'Full path on this machine',
    name: 'Name of the new vault',
    with: 'Open the backup with',
    recovery: 'Recovery key',
    passphrase: 'Passphrase',
    keychain: 'Keychain',
    protection: 'Protection of the new vault',
    action: 'Restore and open',
    anyway: 'Restore anyway',
    broughtBack: formatRestored,
    brings: (counts: RestoreCounts & { vault: string }) =>
      `A restore brings back what was deleted from ${counts.vault} since this backup: ${formatRestored(counts)}.${formatWorkingAgain(counts)}`,
    passphrases: { first: 'New passphrase', again: 'Confirm new passphrase' },
    running: 'Restoring',
    restored: (name: string, url: string | null) =>
      url === null
        ? `Restored. ${name} is open, and programs reach it once the listener is on.`
        : `Restored. Programs at ${url} now reach ${name}.`,
  },
  export: {
    title: 'Export',
    text: 'All tokens in one file, masked as in the list. The log records the export.',
    format: 'Format',
    formats: { ndjson: 'NDJSON', csv: 'CSV' },
    formatHelp: {
      ndjson: 'One token per line, as JSON.',
      csv: 'For spreadsheets. The file cannot be imported again.',
    },
    masked: 'Export masked',
    clear: 'Export plaintext…',
    running: 'Exporting',
    done: (n: string, name: string) =>
      n === '1' ? `Exported 1 token to ${name}` : `Exported ${n} tokens to ${name}`,
    file: (vault: string, clear: boolean, format: string) =>
      `${vault}-tokens${clear ? '-in-clear' : ''}.${format}`,
  },
  clear: {
    title: 'Export plaintext',
    text: 'The file will contain every value in plaintext. Anyone who has the file can read them, without this vault or a key.',
    action: 'Export plaintext',
  },
} as const
