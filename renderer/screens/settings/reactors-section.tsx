import { useLoaded } from '../../parts/connection/use-loaded.tsx'
import { host } from '../../parts/connection/vault.ts'
import { useIsolation } from '../../parts/reactors/use-isolation.ts'
import { Code } from '../../ui/text/code.tsx'
import { Section, SettingSwitch } from './fields.tsx'
import styles from './settings.module.css'
import { strings } from './strings.ts'

const t = strings.reactors

/** Whether reactors and transforms may run code (rule F-02). */
export function ReactorsSection() {
  const isolation = useIsolation()
  return (
    <Section name="reactors" text={t.text}>
      <SettingSwitch name="reactors" label={t.run} description={t.off} />
      {isolation !== null && <p className={styles.text}>{isolation}</p>}
      <Packages />
    </Section>
  )
}

function Packages() {
  const { value } = useLoaded(() => host.reactorPackages())
  return (
    <div>
      <h3>{t.packages}</h3>
      <p className={styles.text}>{t.packagesHelp}</p>
      {value?.packages.length === 0 && <p className={styles.text}>{t.noPackages}</p>}
      {value && value.packages.length > 0 && (
        <ul className="bullets" aria-label={t.packages}>
          {value.packages.map(({ name, version }) => (
            <li key={name}>
              <span className="mono">{name}</span> {version}
            </li>
          ))}
        </ul>
      )}
      <Code text={t.addPackage} what={t.addCommand} />
    </div>
  )
}
