import type { HostStatus } from '../../../shared/host.ts'
import { strings } from '../../parts/strings.ts'
import { useLoaded } from '../../parts/use-loaded.tsx'
import { host } from '../../parts/vault.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { Time } from '../../ui/time.tsx'

const t = strings.settings.vault

/** What failed inside, to be copied for a report; nothing where nothing has, or where that is not known. */
export function Incidents({ version, shell }: Pick<HostStatus, 'version' | 'shell'>) {
  const { value } = useLoaded(() => host.host.incidents())
  if (!value?.last) return null
  const { count, since, last, incidents } = value
  const text = JSON.stringify(
    { version, shell, agent: navigator.userAgent, count, since, incidents },
    null,
    2,
  )
  return (
    <div>
      <p className="settings-text">
        {t.incidents(count)} <Time at={last} />. {t.incidentsHelp}
      </p>
      <CopyButton value={text} what={t.copyDiagnostics} label={t.copyDiagnostics} />
    </div>
  )
}
