import type { HostStatus } from '../../../shared/host/status.ts'
import { useLoaded } from '../../parts/connection/use-loaded.tsx'
import { host } from '../../parts/connection/vault.ts'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { Time } from '../../ui/time/time.tsx'
import styles from './settings.module.css'
import { strings } from './strings.ts'

const t = strings.vault

/** Internal errors, to copy into a bug report. Renders nothing if there are none, or while unknown. */
export function Incidents({ version, shell }: Pick<HostStatus, 'version' | 'shell'>) {
  const { value } = useLoaded(() => host.incidents())
  if (!value?.last) return null
  const { count, since, last, incidents } = value
  const text = JSON.stringify(
    { version, shell, agent: navigator.userAgent, count, since, incidents },
    null,
    2,
  )
  return (
    <div>
      <p className={styles.text}>
        {t.incidents(count)} <Time at={last} clock="machine" />. {t.incidentsHelp}
      </p>
      <CopyButton value={text} what={t.copyDiagnostics} label={t.copyDiagnostics} />
    </div>
  )
}
