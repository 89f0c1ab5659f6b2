import { Stack } from '@mantine/core'
import { Failure } from './failure.tsx'
import { ActionButton } from './icon-buttons.tsx'
import styles from './loading.module.css'
import { strings } from './strings.ts'

/** Placeholder lines for content that is loading. They appear after 200 ms. */
export function Loading({ lines = 3 }: { lines?: number }) {
  return (
    <div className={styles.waiting} role="status">
      <span className="visually-hidden">{strings.loading}</span>
      {Array.from({ length: lines }, (_, line) => line).map((line) => (
        <span key={line} className={styles.bone} />
      ))}
    </div>
  )
}

export function NotLoaded({ why, onRetry }: { why: string; onRetry: () => void }) {
  return (
    <Stack gap={8} align="flex-start">
      <Failure>{why}</Failure>
      <ActionButton label={strings.retry} onClick={onRetry} />
    </Stack>
  )
}
