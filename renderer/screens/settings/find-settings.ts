import { strings as asHosted } from './as-hosted/strings.ts'
import { strings as destinations } from './destinations/strings.ts'
import { strings as directories } from './directories/strings.ts'
import { strings as faults } from './faults/strings.ts'
import { strings as hosted } from './hosted/strings.ts'
import { strings as keys } from './keys/strings.ts'
import { type SectionName, sectionNames, sections } from './sections.ts'
import { strings as t } from './strings.ts'
import { strings as transfer } from './transfer/strings.ts'

/** A setting, as its section shows it, and what else it is found by. */
type Setting = readonly [label: string, words?: string]

const { tenant, listener, window, vault, backups, members } = t

const settings: Readonly<Record<SectionName, readonly Setting[]>> = {
  vaults: [
    [vault.name],
    [vault.protection, 'passphrase keychain'],
    [vault.folder, 'data directory path'],
    [vault.version],
    [vault.others, 'delete open switch'],
  ],
  keys: [
    [keys.protection.dialog, 'passphrase keychain'],
    [keys.recovery.title, keys.recovery.text],
    [keys.data.title, keys.data.text],
    [keys.master.title, keys.master.text],
  ],
  backups: [
    [backups.daily, 'automatic'],
    [backups.kept, backups.keptHelp],
    [backups.now],
    [backups.restoreFile],
  ],
  transfer: [
    [transfer.import.title, transfer.import.text],
    ['Export', 'csv ndjson tokens file plaintext'],
  ],
  tenant: [
    [tenant.name],
    ...Object.entries(tenant.fields).map(
      ([name, label]): Setting => [
        label,
        `${name} ${Object.entries(tenant.help).find(([of]) => of === name)?.[1]} ${name.startsWith('log_') ? 'request history size' : ''}`,
      ],
    ),
  ],
  members: [[members.owner], [members.contact, 'email security'], [members.invitations]],
  window: [
    [window.appearance, 'theme light dark'],
    [window.language, 'snippets curl node python go java php ruby csharp'],
    [window.lock, `timeout idle ${window.lockHelp}`],
  ],
  listener: [
    [listener.port],
    [listener.onUnlock],
    [listener.strict, listener.strictHelp],
    [listener.origins, `cors ${listener.originsHelp}`],
    [listener.hosts, listener.hostsHelp],
    [asHosted.title, asHosted.help],
  ],
  destinations: [
    [destinations.allowed, `${destinations.text} ${destinations.hostHelp}`],
    [destinations.mapped, `map mock ${destinations.mapText}`],
  ],
  reactors: [
    [t.reactors.run, t.reactors.text],
    [t.reactors.packages, `npm require ${t.reactors.packagesHelp}`],
  ],
  faults: [
    [faults.own, `${faults.text} errors latency timeout`],
    ...Object.values(faults.presets).map((each): Setting => [each]),
  ],
  banks: [[directories.banks.routing, directories.banks.text], [directories.banks.account]],
  bins: [[directories.bins.import, directories.bins.text]],
  comparison: [[hosted.compare, `${hosted.text} conform statements`]],
}

export type FoundSetting = { readonly section: SectionName; readonly label: string }

/** Finds settings by their words: labels that contain all of them first, then those whose description does. */
export function findSettings(typed: string): readonly FoundSetting[] {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  if (words.length === 0) return []
  const hasAll = (text: string) => words.every((word) => text.toLowerCase().includes(word))
  const all = sectionNames.flatMap((section) =>
    settings[section].map(([label, more = '']) => ({
      section,
      label,
      all: `${label} ${sections[section]} ${more}`,
    })),
  )
  const byLabel = all.filter(({ label }) => hasAll(label))
  const byMore = all.filter((each) => !byLabel.includes(each) && hasAll(each.all))
  return [...byLabel, ...byMore].map(({ section, label }) => ({ section, label }))
}
