import { ActionIcon, Button } from '@mantine/core'
import type { GridAction } from '../../ui/grid/grid-menu.tsx'
import { Icon } from '../../ui/icon.tsx'
import { formatKey } from '../../ui/keys/use-keys.ts'
import styles from './bulk-strip.module.css'
import { strings } from './strings.ts'

type Props = {
  /** The number of selected tokens; null if unknown. */
  readonly selected: number | null
  readonly actions: readonly GridAction[]
  readonly onClear: () => void
}

export function BulkBar({ selected, actions, onClear }: Props) {
  return (
    <section className={styles.bar} aria-label={strings.bar}>
      <strong role="status">{strings.selected(selected)}</strong>
      <ActionIcon
        size={24}
        color="gray"
        aria-label={strings.clear}
        title={`${strings.clear} (${formatKey('escape')})`}
        onClick={onClear}
      >
        <Icon name="close" size={14} />
      </ActionIcon>
      {actions.map(({ label, icon, danger, disabledReason, run }) => (
        <Button
          key={label}
          size="compact-sm"
          variant="default"
          leftSection={<Icon name={icon} size={14} />}
          {...(danger && { color: 'red', variant: 'light' })}
          disabled={disabledReason !== undefined}
          title={disabledReason ?? ''}
          onClick={run}
        >
          {label}
        </Button>
      ))}
    </section>
  )
}
