import { useEffect, useState } from 'react'
import { vault } from '../../parts/connection/vault.ts'
import formStyles from '../../ui/form.module.css'
import { PanelSection, PropertyList, PropertyRow } from '../../ui/panel.tsx'
import { Time } from '../../ui/time/time.tsx'
import { KeyHint } from './key-hint.tsx'
import { strings } from './strings.ts'
import { useKeyUses } from './uses-store.ts'

const t = strings.drawer

type ElementUseSummary = Awaited<ReturnType<typeof vault.stats.elements>>[number]

/** The pages whose Elements used an application. Renders nothing if there are none. */
export function ElementUses({ id }: { id: string }) {
  const uses = useElementUses(id)
  if (uses.length === 0) return null
  return (
    <PanelSection title={t.elements}>
      <PropertyList>
        {uses.map((use) => (
          <PropertyRow key={use.origin} name={use.origin}>
            <UsedKey use={use} /> <Time at={use.last_used_at} />
          </PropertyRow>
        ))}
      </PropertyList>
      <p className={formStyles.note}>{t.elementsHelp}</p>
    </PanelSection>
  )
}

function UsedKey({ use: { key_id } }: { use: ElementUseSummary }) {
  const key = useKeyUses((state) => state.keys).find(({ id }) => id === key_id)
  if (key) return <KeyHint of={key} />
  return <span className="dim">{key_id === null ? t.bySession : t.byGoneKey}</span>
}

/** The uses of an application by Elements, reloaded whenever keys are used. */
function useElementUses(application_id: string): readonly ElementUseSummary[] {
  const keyUses = useKeyUses()
  const [uses, setUses] = useState<readonly ElementUseSummary[]>([])
  useEffect(() => {
    if (!keyUses.loaded) return
    let isCurrent = true
    vault.stats.elements({ application_id }).then(
      (read) => {
        if (isCurrent) setUses(read)
      },
      // The vault was locked or became unreachable; the window already reports that.
      () => {},
    )
    return () => {
      isCurrent = false
    }
  }, [application_id, keyUses])
  return uses
}
