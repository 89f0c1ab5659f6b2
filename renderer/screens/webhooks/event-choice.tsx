import { Checkbox } from '@mantine/core'
import { useId } from 'react'
import { getEventCause } from '../../../shared/webhook-events.ts'
import { type EventGroup, eventGroups } from './event-groups.ts'
import { strings } from './strings.ts'
import styles from './webhooks.module.css'

const t = strings.form

type Props = {
  readonly chosen: readonly string[]
  readonly error: string | undefined
  readonly onChange: (chosen: readonly string[]) => void
}

/** Chooses event types: single ones, or all of a group. */
export function EventChoice({ chosen, error, onChange }: Props) {
  const errorId = useId()
  return (
    <fieldset className={styles.eventChoice} aria-describedby={error === undefined ? undefined : errorId}>
      <legend>{t.events}</legend>
      <p className="help">{t.eventsHelp}</p>
      {error !== undefined && (
        <p id={errorId} className="error" role="alert">
          {error}
        </p>
      )}
      {eventGroups.map((group) =>
        group.name === 'never' ? (
          <details key={group.name} open={group.types.some((type) => chosen.includes(type)) || undefined}>
            <summary>{group.title}</summary>
            <p className="help">{t.neverHelp}</p>
            <Group group={{ ...group, title: t.these }} chosen={chosen} onChange={onChange} />
          </details>
        ) : (
          <Group key={group.name} group={group} chosen={chosen} onChange={onChange} />
        ),
      )}
    </fieldset>
  )
}

function Group({ group: { title, types }, chosen, onChange }: Omit<Props, 'error'> & { group: EventGroup }) {
  const own = types.filter((type) => chosen.includes(type))
  const otherTypes = chosen.filter((type) => !types.some((each) => each === type))
  const isAll = own.length === types.length
  return (
    <div className={styles.eventGroup}>
      <Checkbox
        label={t.all(title, own.length, types.length)}
        checked={isAll}
        indeterminate={own.length > 0 && !isAll}
        onChange={() => onChange(isAll ? otherTypes : [...otherTypes, ...types])}
      />
      {types.map((type) => (
        <Checkbox
          key={type}
          label={<span className="mono">{type}</span>}
          description={getEventCause(type) ?? undefined}
          checked={chosen.includes(type)}
          onChange={(event) =>
            onChange(event.currentTarget.checked ? [...chosen, type] : chosen.filter((each) => each !== type))
          }
        />
      ))}
    </div>
  )
}
