import { Group } from '@mantine/core'
import type { AsHostedDetails, AsHostedState } from '../../../../shared/host/as-hosted.ts'
import type { HostSettings } from '../../../../shared/host/settings.ts'
import type { HostStatus } from '../../../../shared/host/status.ts'
import { LoadedView, useLoaded } from '../../../parts/connection/use-loaded.tsx'
import { host } from '../../../parts/connection/vault.ts'
import { showFailureToast } from '../../../parts/messages/toast.tsx'
import { Chip } from '../../../ui/chip.tsx'
import { Caution, Failure } from '../../../ui/failure.tsx'
import { ActionButton } from '../../../ui/icon-buttons.tsx'
import { Properties } from '../../../ui/properties.tsx'
import { Code } from '../../../ui/text/code.tsx'
import { SettingSwitch } from '../fields.tsx'
import styles from './as-hosted.module.css'
import { ConnectionTable } from './connection-table.tsx'
import { findMappedLater, groupNames, quoteArguments } from './hosted-facts.ts'
import { strings as t } from './strings.ts'

/** Whether Coffer answers the names of the hosted service, and while it does, how programs find it. */
export function AsHostedSettings({ status }: { status: HostStatus }) {
  const { as_hosted, settings } = status
  return (
    <>
      <h3>{t.heading}</h3>
      <SettingSwitch name="as_hosted" label={t.title} description={t.help} />
      <HostedState state={as_hosted} isWaiting={settings.as_hosted && status.listener.state !== 'on'} />
      {as_hosted.state === 'on' && (
        <div className={styles.details}>
          <HostedNames names={as_hosted.names} destinations={settings.destinations} />
          <HostedAccess open={as_hosted} destinations={settings.destinations} />
        </div>
      )}
    </>
  )
}

function HostedState({ state, isWaiting }: { state: AsHostedState; isWaiting: boolean }) {
  if (state.state === 'on') {
    return (
      <Group role="status" gap="2px 8px" fz={12}>
        <Chip tone="green">{t.onWord}</Chip>
        <span>{t.on(state.port)}</span>
        {state.is_held && <span className="dim">{t.held}</span>}
      </Group>
    )
  }
  if (state.state === 'failed') {
    return (
      <Group align="start" gap="xs">
        <Failure>{t.failed(state.reason)}</Failure>
        <ActionButton
          label={t.tryAgain}
          onClick={() => host.updateSettings({ as_hosted: true }).catch(showFailureToast)}
        />
      </Group>
    )
  }
  const waiting = isWaiting ? t.listenerOff : null
  const text = state.state === 'opening' ? t.opening : waiting
  return (
    text !== null && (
      <p role="status" className="help">
        {text}
      </p>
    )
  )
}

type Props = {
  readonly names: Extract<AsHostedState, { state: 'on' }>['names']
  readonly destinations: HostSettings['destinations']
}

function MapTarget({ to }: { to: string | undefined }) {
  return to !== undefined && <span className="dim"> → {to}</span>
}

/** The names that are answered, by what they stand for. */
function HostedNames({ names, destinations }: Props) {
  const groups = groupNames(names)
  const later = findMappedLater(names, destinations)
  return (
    <div>
      <h4>{t.names}</h4>
      <Properties
        of={Object.fromEntries(
          groups.map(([role, hosts]) => [
            t.roles[role],
            <Group key={role} gap="2px 16px">
              {hosts.map((host) => (
                <span key={host} className="mono">
                  {host}
                  {role === 'mapped' && <MapTarget to={destinations.map[`https://${host}`]} />}
                </span>
              ))}
            </Group>,
          ]),
        )}
      />
      {groups.some(([role]) => role === 'mapped') && <p className="help">{t.mappedNote}</p>}
      {later.length > 0 && <Caution>{t.mappedLater(later.join(', '))}</Caution>}
      <p className="help">{t.authority}</p>
    </div>
  )
}

type OpenState = Extract<AsHostedState, { state: 'on' }>

type HostedAccessProps = { readonly open: OpenState; readonly destinations: HostSettings['destinations'] }

/** How programs find the hosted names, and which have come. */
function HostedAccess({ open, destinations }: HostedAccessProps) {
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
      <p className="help">{t.run}</p>
      <Code text={t.runCommand} what={t.command} wrap />
      <p className="help">{t.shell}</p>
      <Code text={`. ${quoteArguments([shell_file])}`} what={t.shellWhat} wrap />
      <p className="help">{t.shellNote}</p>
      <p className="help">{t.chromium}</p>
      <Code text={quoteArguments(chromium)} what={t.chromiumWhat} wrap />
      {open.port === 443 ? (
        <>
          <p className="help">{t.hosts}</p>
          <Code text={`127.0.0.1 ${hosts.join(' ')}`} what={t.hostsWhat} wrap />
        </>
      ) : (
        <p className="help">
          {t.noHosts} <span className="mono">{t.noHostsCommand}</span>
        </p>
      )}
    </div>
  )
}
