import { useState } from 'react'
import type { HostStatus } from '../../../shared/host/status.ts'
import { RequestSnippet } from '../../parts/api/request-snippet.tsx'
import { navigate } from '../../parts/navigation/route.ts'
import { areStepsHidden, hideFirstSteps, useFirstSteps } from '../../parts/vaults/first-steps.ts'
import { listSteps, type StepName, shouldShowSteps } from '../../parts/vaults/steps.ts'
import { Icon } from '../../ui/icon.tsx'
import { ActionButton, IconButton } from '../../ui/icon-buttons.tsx'
import { Code } from '../../ui/text/code.tsx'
import { getVaultNow } from '../../ui/time/clock.ts'
import { createStepRequest, formatBackupCommand, getKeyVariable, getStepHref } from './first-steps-text.ts'
import styles from './home.module.css'
import { strings } from './strings.ts'

const t = strings.steps

/** The first steps in a vault. A step is ticked once it has been taken, whether by the owner or by a program. */
export function FirstStepsCard({ status }: { status: HostStatus }) {
  const state = useFirstSteps()
  const [opened, setOpened] = useState<StepName | null>(null)
  const { steps } = state
  if (steps === null || !shouldShowSteps(state, areStepsHidden(status), getVaultNow())) return null
  const names = listSteps(steps)
  const taken = names.filter((name) => steps[name])
  const next = names.find((name) => !steps[name])
  const openStep = opened ?? next
  const keyVariable = openStep ? getKeyVariable(openStep) : null
  return (
    <section className={`${styles.tile} ${styles.tileWide}`} aria-label={t.title}>
      <div className={styles.tileHead}>
        <h2>{t.title}</h2>
        <span className="faint">{t.taken(taken.length, names.length)}</span>
        <IconButton icon="close" label={t.hide} onClick={hideFirstSteps} hasTooltip />
      </div>
      <div className={styles.todo}>
        <ol>
          {names.map((name) => (
            <li key={name}>
              <button
                type="button"
                className={`unstyled ${styles.todoStep}`}
                aria-pressed={name === openStep}
                onClick={() => setOpened(name)}
              >
                <span className={steps[name] ? `${styles.todoMark} ${styles.todoTaken}` : styles.todoMark}>
                  {steps[name] && <Icon name="check" size={12} />}
                </span>
                <span>{t.names[name]}</span>
                <span className="visually-hidden">{steps[name] ? t.done : t.open}</span>
              </button>
            </li>
          ))}
        </ol>
        {openStep && (
          <div className={styles.todoNext}>
            <p>{t.texts[openStep]}</p>
            <ActionButton
              label={t.actions[openStep]}
              variant={openStep === next ? 'filled' : 'default'}
              onClick={() => navigate(getStepHref(openStep))}
            />
            {openStep === 'backup' ? (
              <Code text={formatBackupCommand(status)} what={t.command} wrap />
            ) : (
              <RequestSnippet request={createStepRequest(openStep, steps.token_id)} wrap />
            )}
            {keyVariable && <p className="faint">{t.keyNote[keyVariable]}</p>}
          </div>
        )}
      </div>
    </section>
  )
}
