import './loading.css'
import { Button } from '@mantine/core'
import { Failure } from './failure.tsx'
import { strings } from './strings.ts'

/** Placeholder lines for content that is loading. They appear after 200 ms. */
export function Loading({ lines = 3 }: { lines?: number }) {
  return (
    <div className="waiting" role="status">
      <span className="visually-hidden">{strings.loading}</span>
      {Array.from({ length: lines }, (_, line) => line).map((line) => (
        <span key={line} className="bone" />
      ))}
    </div>
  )
}

export function NotLoaded({ why, onRetry }: { why: string; onRetry: () => void }) {
  return (
    <div className="not-loaded">
      <Failure>{why}</Failure>
      <Button variant="default" onClick={onRetry}>
        {strings.retry}
      </Button>
    </div>
  )
}
