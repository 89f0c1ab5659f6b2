import { type ReactNode, useEffect, useRef, useState } from 'react'
import type { HostStatus } from '../../../shared/host/status.ts'
import { useSession } from '../../parts/connection/session.ts'
import { SearchField } from '../../parts/navigation/list-search.tsx'
import { useRoute } from '../../parts/navigation/route.ts'
import { toHref } from '../../parts/navigation/route-text.ts'
import navLinkStyles from '../../ui/nav-link.module.css'
import { BackupsSection } from './backups-section.tsx'
import { DestinationsSection } from './destinations/destinations-section.tsx'
import { BanksSection } from './directories/banks-section.tsx'
import { BinsSection } from './directories/bins-section.tsx'
import { FaultsSection } from './faults/faults-section.tsx'
import { type FoundSetting, findSettings } from './find-settings.ts'
import { HostedSection } from './hosted/hosted-section.tsx'
import { KeysSection } from './keys/keys-section.tsx'
import { ListenerSection } from './listener-section.tsx'
import { MembersSection } from './members-section.tsx'
import { ReactorsSection } from './reactors-section.tsx'
import { type SectionName, sectionGroups, sectionNames, sections } from './sections.ts'
import styles from './settings.module.css'
import { strings as t } from './strings.ts'
import { TenantSection } from './tenant-section.tsx'
import { TransferSection } from './transfer/transfer-section.tsx'
import { VaultSection } from './vault-section.tsx'
import { WindowSection } from './window-section.tsx'

const sectionViews: Readonly<Record<SectionName, (status: HostStatus) => ReactNode>> = {
  listener: (status) => <ListenerSection status={status} />,
  destinations: (status) => <DestinationsSection status={status} />,
  reactors: () => <ReactorsSection />,
  window: ({ settings }) => <WindowSection settings={settings} />,
  vaults: (status) => <VaultSection status={status} />,
  keys: (status) => <KeysSection status={status} />,
  backups: (status) => <BackupsSection status={status} />,
  transfer: ({ vault }) => vault && <TransferSection vault={vault} />,
  tenant: () => <TenantSection />,
  members: () => <MembersSection />,
  banks: () => <BanksSection />,
  bins: () => <BinsSection />,
  faults: (status) => <FaultsSection status={status} />,
  comparison: () => <HostedSection />,
}

/** All settings, one section at a time, with a search for a setting by its words. */
export function Settings() {
  const { id, query } = useRoute()
  const { find } = query
  const status = useSession((session) => session.status)
  const current = sectionNames.find((each) => each === id) ?? 'listener'
  const [typed, setTyped] = useState('')
  if (!status) return null
  return (
    <div className={styles.root}>
      <nav className={styles.nav} aria-label={t.title}>
        <h1>{t.title}</h1>
        <SettingSearch value={typed} onChange={setTyped} />
        {typed.trim() === '' ? (
          <Sections current={current} />
        ) : (
          <Found settings={findSettings(typed)} current={current} shown={find} />
        )}
      </nav>
      <Body key={current} find={find}>
        {sectionViews[current](status)}
      </Body>
    </div>
  )
}

/** The open section, scrolled to the setting that was searched for. */
function Body({ find, children }: { find: string | undefined; children: ReactNode }) {
  const body = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (find !== undefined && body.current) return showSetting(body.current, find)
  }, [find])
  return (
    <div className={styles.body} ref={body}>
      {children}
    </div>
  )
}

function SettingSearch({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const box = useRef<HTMLDivElement>(null)
  return (
    <search ref={box} className={styles.search}>
      <SearchField
        label={t.search}
        value={value}
        onChange={onChange}
        onExit={() => box.current?.parentElement?.querySelector<HTMLElement>('a')?.focus()}
      />
    </search>
  )
}

function Sections({ current }: { current: SectionName }) {
  return sectionGroups.map(({ label, names }) => (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset groups form fields, not links
    <div key={label} role="group" aria-label={label} className={styles.group}>
      <span className={styles.groupLabel} aria-hidden="true">
        {label}
      </span>
      {names.map((name) => (
        <a
          key={name}
          href={toHref('settings', name)}
          className={`${navLinkStyles.root} ${styles.link}`}
          aria-current={name === current ? 'page' : undefined}
        >
          {sections[name]}
        </a>
      ))}
    </div>
  ))
}

type FoundProps = {
  readonly settings: readonly FoundSetting[]
  readonly current: SectionName
  readonly shown: string | undefined
}

function Found({ settings, current, shown }: FoundProps) {
  if (settings.length === 0) return <p className={`faint ${styles.nothing}`}>{t.nothing}</p>
  return settings.map(({ section, label }) => (
    <a
      key={`${section} ${label}`}
      href={toHref('settings', section, { find: label })}
      className={`${navLinkStyles.root} ${styles.link} ${styles.found}`}
      aria-current={section === current && label === shown ? 'page' : undefined}
    >
      {label}
      <span className="faint">{sections[section]}</span>
    </a>
  ))
}

const MAX_WAIT_MS = 3000

/**
 * Scrolls to the setting with this label and focuses its control, as soon as its section shows it. Returns the function
 * that stops waiting for it.
 */
function showSetting(body: HTMLElement, label: string): () => void {
  const observer = new MutationObserver(() => tryShow(body, label) && stopWaiting())
  const timer = setTimeout(stopWaiting, MAX_WAIT_MS)
  function stopWaiting() {
    clearTimeout(timer)
    observer.disconnect()
  }
  if (tryShow(body, label)) stopWaiting()
  else observer.observe(body, { childList: true, subtree: true, characterData: true })
  return stopWaiting
}

function tryShow(body: HTMLElement, label: string): boolean {
  const texts = body.querySelectorAll<HTMLElement>('label, legend, h3, button, dt, p')
  const found = [...texts].find((element) => element.textContent?.trim().startsWith(label))
  if (!found) return false
  found.scrollIntoView({ block: 'center' })
  const control =
    found instanceof HTMLLabelElement ? found.control : found instanceof HTMLButtonElement ? found : null
  control?.focus({ preventScroll: true })
  return true
}
