import { useEffect, useState } from 'react'
import { vault } from '../../parts/connection/vault.ts'
import { Fact, Facts, Part } from '../../ui/panel.tsx'
import { Time } from '../../ui/time/time.tsx'
import { KeyHint } from './key-hint.tsx'
import { strings } from './strings.ts'
import { useKeyUses } from './uses-store.ts'

const t = strings.drawer

type ElementUse = Awaited<ReturnType<typeof vault.stats.elements>>[number]

/** The pages whose elements used an application; nothing if there are none. */
export function ElementUses({ id }: { id: string }) {
  const uses = useElementUses(id)
  if (uses.length === 0) return null
  return (
    <Part title={t.elements}>
      <Facts>
        {uses.map((use) => (
          <Fact key={use.origin} name={use.origin}>
            <UsedKey use={use} /> <Time at={use.last_used_at} />
          </Fact>
        ))}
      </Facts>
      <p className="part-help">{t.elementsHelp}</p>
    </Part>
  )
}

function UsedKey({ use: { key_id } }: { use: ElementUse }) {
  const key = useKeyUses((state) => state.keys).find(({ id }) => id === key_id)
  if (key) return <KeyHint of={key} />
  return <span className="dim">{key_id === null ? t.bySession : t.byGoneKey}</span>
}

/** Read again whenever keys have been used. */
function useElementUses(application_id: string): readonly ElementUse[] {
  const known = useKeyUses()
  const [uses, setUses] = useState<readonly ElementUse[]>([])
  useEffect(() => {
    if (!known.loaded) return
    let isWanted = true
    vault.stats.elements({ application_id }).then(
      (read) => {
        if (isWanted) setUses(read)
      },
      // The vault was locked or lost, which the window says itself.
      () => {},
    )
    return () => {
      isWanted = false
    }
  }, [application_id, known])
  return uses
}
