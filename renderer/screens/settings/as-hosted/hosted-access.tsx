import type { AsHostedDetails, AsHostedState } from '../../../../shared/host/as-hosted.ts'
import type { HostSettings } from '../../../../shared/host/settings.ts'
import { LoadedView, useLoaded } from '../../../parts/connection/use-loaded.tsx'
import { host } from '../../../parts/connection/vault.ts'
import formStyles from '../../../ui/form.module.css'
import { Code } from '../../../ui/text/code.tsx'
import styles from './as-hosted.module.css'
import { ConnectionTable } from './connection-table.tsx'
import { quoteArguments } from './hosted-facts.ts'
import { strings as t } from './strings.ts'

type OpenState = Extract<AsHostedState, { state: 'on' }>

type Props = { readonly open: OpenState; readonly destinations: HostSettings['destinations'] }

/** How programs find the hosted names, and which have come. */
export function HostedAccess({ open, destinations }: Props) {
  const details = useLoaded(() => host.asHosted(), {
    about: String(open.port),
    stays: true,
    follows: 'connections',
  })
  return (
    <LoadedView of={details}>
      {({ access, connections }) => (
        <>
          {access && <WaysToStart access={access} open={open} />}
          <ConnectionTable connections={connections} destinations={destinations} />
        </>
      )}
    </LoadedView>
  )
}

type WaysToStartProps = {
  readonly access: NonNullable<AsHostedDetails['access']>
  readonly open: OpenState
}

function WaysToStart({ access, open }: WaysToStartProps) {
  const { shell_file, chromium } = access
  const hosts = [...new Set(open.names.map(({ origin }) => new URL(origin).hostname))]
  return (
    <div className={styles.ways}>
      <h4>{t.start}</h4>
      <p className={formStyles.help}>{t.run}</p>
      <Code text={t.runCommand} what={t.command} wrap />
      <p className={formStyles.help}>{t.shell}</p>
      <Code text={`. ${quoteArguments([shell_file])}`} what={t.shellWhat} wrap />
      <p className={formStyles.help}>{t.shellNote}</p>
      <p className={formStyles.help}>{t.chromium}</p>
      <Code text={quoteArguments(chromium)} what={t.chromiumWhat} wrap />
      {open.port === 443 ? (
        <>
          <p className={formStyles.help}>{t.hosts}</p>
          <Code text={`127.0.0.1 ${hosts.join(' ')}`} what={t.hostsWhat} wrap />
        </>
      ) : (
        <p className={formStyles.help}>
          {t.noHosts} <span className="mono">{t.noHostsCommand}</span>
        </p>
      )}
    </div>
  )
}
