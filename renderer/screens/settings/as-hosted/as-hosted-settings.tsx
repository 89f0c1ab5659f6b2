import { Group } from '@mantine/core'
import type { AsHostedState } from '../../../../shared/host/as-hosted.ts'
import type { HostStatus } from '../../../../shared/host/status.ts'
import { host } from '../../../parts/connection/vault.ts'
import { showFailureToast } from '../../../parts/messages/toast.tsx'
import { Chip } from '../../../ui/chip.tsx'
import { Failure } from '../../../ui/failure.tsx'
import formStyles from '../../../ui/form.module.css'
import { ActionButton } from '../../../ui/icon-buttons.tsx'
import { SettingSwitch } from '../fields.tsx'
import styles from './as-hosted.module.css'
import { HostedAccess } from './hosted-access.tsx'
import { HostedNames } from './hosted-names.tsx'
import { strings as t } from './strings.ts'

/** Whether Coffer answers the names of the hosted service, and while it does, how programs find it. */
export function AsHostedSettings({ status }: { status: HostStatus }) {
  const { as_hosted, settings } = status
  return (
    <>
      <h3>{t.heading}</h3>
      <SettingSwitch name="as_hosted" settings={settings} label={t.title} description={t.help} />
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
      <p role="status" className={formStyles.help}>
        {text}
      </p>
    )
  )
}
