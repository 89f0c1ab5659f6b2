import { useSession } from '../../parts/connection/session.ts'
import { useLoaded } from '../../parts/connection/use-loaded.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { useAction } from '../../parts/forms/use-action.ts'
import { Problem } from '../../parts/messages/problem.tsx'
import { showToast } from '../../parts/messages/toast.tsx'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import screenStyles from '../../ui/screen.module.css'
import { strings } from './strings.ts'

const t = strings.keeping

/** Whether proxied calls are being saved; null while unknown. */
export function useKeepExchanges(): boolean | null {
  const inMemory = useSession(({ status }) => status?.vault?.protection === 'memory')
  const { value } = useLoaded(() => vault.tenants.get(), { follows: ['tenant'] })
  if (!value) return null
  const setting = value.settings.keep_exchanges
  return setting === 'always' || (setting === 'in_memory' && inMemory)
}

type Props = {
  readonly text?: string
  readonly action?: string
  /** Runs once calls are saved. */
  readonly onKept?: () => Promise<void>
}

/** Explains that calls are not saved and what would be stored. A button turns saving on. */
export function KeepExchangesNotice({ text = t.text, action = t.on, onKept }: Props) {
  const isKeeping = useKeepExchanges()
  const { runAction, problem, state } = useAction()
  const turnOn = () =>
    runAction(async () => {
      const { name } = await vault.tenants.get()
      await vault.tenants.update({ name, settings: { keep_exchanges: 'always' } })
      showToast(t.isOn)
      await onKept?.()
    })
  if (isKeeping !== false) return null
  return (
    <section className={screenStyles.notice} aria-label={t.title}>
      <div>
        <strong>{t.title}</strong>
        <p>{text}</p>
        <Problem of={problem} />
      </div>
      <ActionButton label={action} loading={state === 'running'} onClick={turnOn} />
    </section>
  )
}
