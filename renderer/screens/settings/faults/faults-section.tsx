import { useState } from 'react'
import type { HostStatus } from '../../../../shared/host/status.ts'
import type { FaultReport, NewFaultRule } from '../../../../shared/schemas/fault.ts'
import { LoadedView, useLoaded } from '../../../parts/connection/use-loaded.tsx'
import { host } from '../../../parts/connection/vault.ts'
import { showFailureToast } from '../../../parts/messages/toast.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { ActionButton, IconButton } from '../../../ui/icon-buttons.tsx'
import { Lines } from '../fields.tsx'
import { Section } from '../section.tsx'
import styles from '../settings.module.css'
import { formatFault } from './fault-text.ts'
import { NewFault } from './new-fault.tsx'
import { strings as t } from './strings.ts'

const presets = {
  slow: { name: 'slow', delay_ms: 2000 },
  limited: { name: 'limited', status: 429, retry_after: 1, count: 5 },
  broken: { name: 'broken', status: 500, share: 0.2 },
  lost: { name: 'lost', cut: true, when: 'after', count: 1 },
} as const satisfies Record<keyof typeof t.presets, NewFaultRule>
const names = Object.keys(presets) as (keyof typeof presets)[]

type Rules = FaultReport['rules']

async function readRules(): Promise<Rules> {
  return (await host.faults()).rules
}

function withoutHits({ hits: _, ...rule }: Rules[number]): NewFaultRule {
  return rule
}

/** The faults that the listener simulates. */
export function FaultsSection({ status }: { status: HostStatus }) {
  // Another window or a program may change the faults too.
  const faults = useLoaded(readRules, {
    about: JSON.stringify(status.faults),
    stays: true,
    follows: 'log',
  })
  const { set: setRules } = faults
  const rules = faults.value
  const [making, setMaking] = useState(false)
  async function changeRules(next: readonly NewFaultRule[]) {
    try {
      setRules((await host.setFaults({ rules: [...next] })).rules)
    } catch (error) {
      showFailureToast(error)
    }
  }
  const current = rules?.map(withoutHits) ?? []
  return (
    <Section name="faults" text={t.text}>
      <div className={styles.pairs}>
        {names.map((name) => (
          <ActionButton
            label={t.presets[name]}
            key={name}
            disabled={rules === null || rules.some((rule) => rule.name === name)}
            onClick={() => changeRules([...current, presets[name]])}
          />
        ))}
        <ActionButton icon="plus" label={t.own} disabled={rules === null} onClick={() => setMaking(true)} />
      </div>
      <LoadedView of={faults}>
        {(set) => (
          <Lines none={t.none}>
            {set.map((rule) => (
              <li key={rule.name}>
                <Icon name="alert" size={14} />
                <span className="mono">{rule.name}</span>
                <span className="dim">{formatFault(rule)}</span>
                <span className="faint">{t.hits(rule.hits)}</span>
                <IconButton
                  icon="close"
                  ml="auto"
                  label={t.remove(rule.name)}
                  onClick={() => changeRules(current.filter(({ name }) => name !== rule.name))}
                />
              </li>
            ))}
          </Lines>
        )}
      </LoadedView>
      {making && (
        <NewFault
          taken={current.map(({ name }) => name)}
          onSet={async (rule) => setRules((await host.setFaults({ rules: [...current, rule] })).rules)}
          onClose={() => setMaking(false)}
        />
      )}
    </Section>
  )
}
