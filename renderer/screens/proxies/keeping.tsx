import { Button } from '@mantine/core'
import { useEffect } from 'react'
import { followChanges } from '../../parts/connection/follow.ts'
import { useSession } from '../../parts/connection/session.ts'
import { useLoaded } from '../../parts/connection/use-loaded.tsx'
import { vault } from '../../parts/connection/vault.ts'
import { useAct } from '../../parts/forms/use-act.ts'
import { Problem } from '../../parts/messages/problem.tsx'
import { toast } from '../../parts/messages/toast.tsx'
import { strings } from './strings.ts'

const t = strings.keeping

/** Whether calls of proxies are kept now; null while that is not known. */
export function useKeeping(): boolean | null {
  const inMemory = useSession(({ status }) => status?.vault?.protection === 'memory')
  const { value, load } = useLoaded(() => vault.tenants.get())
  useEffect(() => followChanges(['tenant'], load), [load])
  if (!value) return null
  const wanted = value.settings.keep_exchanges
  return wanted === 'always' || (wanted === 'in_memory' && inMemory)
}

/** Says that calls are not kept, and what keeping them means, with the button that turns it on. */
export function Keeping({ text = t.text }: { readonly text?: string }) {
  const isKept = useKeeping()
  const { act, problem, state } = useAct()
  const turnOn = () =>
    act(async () => {
      const { name } = await vault.tenants.get()
      await vault.tenants.update({ name, settings: { keep_exchanges: 'always' } })
      toast(t.isOn)
    })
  if (isKept !== false) return null
  return (
    <section className="notice" aria-label={t.title}>
      <div>
        <strong>{t.title}</strong>
        <p>{text}</p>
        <Problem of={problem} />
      </div>
      <Button variant="default" loading={state === 'running'} onClick={turnOn}>
        {t.on}
      </Button>
    </section>
  )
}
