import './waiting.css'
import { Button } from '@mantine/core'
import { Failure } from './failure.tsx'
import { strings } from './strings.ts'

/** Lines that stand for what is on its way; they show after a fifth of a second. */
export function Waiting({ lines = 3 }: { lines?: number }) {
  return (
    <div className="waiting" role="status">
      <span className="visually-hidden">{strings.loading}</span>
      {Array.from({ length: lines }, (_, line) => line).map((line) => (
        <span key={line} className="bone" />
      ))}
    </div>
  )
}

/** Why something is not shown, and the way to ask for it again. */
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
