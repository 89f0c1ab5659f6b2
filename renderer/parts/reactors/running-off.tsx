import { ActionButton } from '../../ui/icon-buttons.tsx'
import screenStyles from '../../ui/screen.module.css'
import { useSession } from '../connection/session.ts'
import { host } from '../connection/vault.ts'
import { useAction } from '../forms/use-action.ts'
import { Problem } from '../messages/problem.tsx'
import { showToast } from '../messages/toast.tsx'
import { goTo } from '../navigation/route.ts'
import { strings as t } from './strings.ts'

/** Whether running code is enabled; null until known. */
export function useRunning(): boolean | null {
  return useSession(({ status }) => status?.settings.reactors ?? null)
}

/** Explains what a reactor is and that running code is disabled, with a button to enable it (rule F-02). */
export function RunningOff() {
  const isOn = useRunning()
  const { runAction, problem, state } = useAction()
  const turnOn = () =>
    runAction(async () => {
      await host.updateSettings({ reactors: true })
      showToast(t.isOn, { undo: () => host.updateSettings({ reactors: false }) })
    })
  if (isOn !== false) return null
  return (
    <section className={screenStyles.notice} aria-label={t.title}>
      <div>
        <strong>{t.title}</strong>
        <p>{t.text}</p>
        <Problem of={problem} />
      </div>
      <ActionButton label={t.settings} variant="subtle" color="gray" onClick={goTo('settings', 'reactors')} />
      <ActionButton label={t.on} loading={state === 'running'} onClick={turnOn} />
    </section>
  )
}
