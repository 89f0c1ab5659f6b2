import { Button, Group } from '@mantine/core'
import { useEffect, useState } from 'react'
import { useActorName } from '../application-names.ts'
import { RuleCard } from '../applications/rule-card.tsx'
import { go } from '../route.ts'
import { hrefOf } from '../route-text.ts'
import { strings } from '../strings.ts'
import { Icon } from '../ui/icon.tsx'
import { Part } from '../ui/panel.tsx'
import { vault } from '../vault.ts'
import type { LogRecord } from './record.ts'
import { SendAgain } from './send-again.tsx'
import { type Refusal, refusalOf } from './why.ts'

const t = strings.requests.why
type Explanation = Awaited<ReturnType<typeof vault.access.explain>>

/** Why a request got 403: the missing permission, and every rule that was considered. */
export function WhyRefused({ record }: { record: LogRecord }) {
  const refusal = refusalOf(record)
  if (record.status === 401) {
    return (
      <Part title={t.title}>
        <span>{t.key}</span>
      </Part>
    )
  }
  return refusal && <Rules key={record.id} record={record} refusal={refusal} />
}

function Rules({ record, refusal }: { record: LogRecord; refusal: Refusal }) {
  const { application_id, permission, containers } = refusal
  const [explanation, setExplanation] = useState<Explanation | null>(null)
  const actor = useActorName()
  const name = actor(application_id)
  const asked = JSON.stringify({ application_id, permission, ...(containers && { containers }) })
  useEffect(() => {
    let here = true
    vault.access.explain(JSON.parse(asked)).then(
      (answer) => here && setExplanation(answer),
      () => undefined,
    )
    return () => {
      here = false
    }
  }, [asked])

  return (
    <Part title={t.title}>
      <p className="why">
        {containers ? t.onContainers(name, permission, containers.join(' ')) : t.anywhere(name, permission)}
      </p>
      {explanation?.note && containers && <p className="why why-now">{t.grantedNow(explanation.note)}</p>}
      {explanation && (
        <>
          <p className="why-head">{explanation.rules.length === 0 ? t.noRules : t.considered}</p>
          <div className="rules">
            {explanation.rules.map(({ rule, grants, covers, decides }) => (
              <RuleCard
                key={rule.priority}
                rule={rule}
                note={noteOf({ grants, covers: covers || !containers, decides, permission })}
              />
            ))}
          </div>
        </>
      )}
      <Group gap="xs" mt={10}>
        <Button
          leftSection={<Icon name="pencil" size={14} />}
          onClick={() => go(hrefOf('applications', application_id, { edit: '1' }))}
        >
          {t.edit}
        </Button>
        <SendAgain record={record} />
      </Group>
    </Part>
  )
}

type Verdict = { grants: boolean; covers: boolean; decides: boolean; permission: string }

function noteOf({ grants, covers, decides, permission }: Verdict): string {
  if (decides) return t.decides
  if (!covers) return t.notCovers
  return grants ? t.later : t.notGrants(permission)
}
