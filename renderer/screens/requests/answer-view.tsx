import { useEffect, useRef } from 'react'
import { Fact, Facts, Part } from '../../ui/panel.tsx'
import { StatusChip } from '../../ui/status-chip.tsx'
import { Code } from '../../ui/text/code.tsx'
import { JsonView } from '../../ui/text/json-view.tsx'
import { milliseconds } from '../../ui/time/milliseconds.ts'
import { type Answer, useBuilder } from './builder-store.ts'
import { KeptRequests } from './kept-requests.tsx'
import { strings } from './strings.ts'

const t = strings.build

/** The response; in a narrow window it is below the request and scrolls into view. */
export function AnswerView({ onPick }: { onPick: (op: string) => void }) {
  const { answer } = useBuilder()
  const section = useRef<HTMLElement>(null)
  useEffect(() => {
    if (answer) section.current?.scrollIntoView({ block: 'nearest' })
  }, [answer])
  return (
    <div className="build-side">
      <section aria-label={t.response} aria-live="polite" ref={section}>
        <Answered answer={answer} />
      </section>
      <KeptRequests onPick={onPick} />
    </div>
  )
}

/** Status, headers, body. */
function Answered({ answer }: { answer: Answer | null }) {
  if (!answer) {
    return (
      <Part title={t.response}>
        <span className="faint">{t.idle}</span>
      </Part>
    )
  }
  const headers = Object.entries(answer.headers)
  return (
    <>
      <Part
        title={t.response}
        aside={
          <span className="answer-head">
            <StatusChip status={answer.status} />
            <span className="faint">{t.took(milliseconds(answer.duration_ms))}</span>
          </span>
        }
      >
        {answer.body === undefined ? (
          <span className="faint">{t.noBody}</span>
        ) : typeof answer.body === 'string' ? (
          <Code text={answer.body} what={t.response} wrap />
        ) : (
          <JsonView value={answer.body ?? {}} what={t.response} />
        )}
      </Part>
      <Part title={t.headers}>
        {headers.length === 0 && <span className="faint">{t.noHeaders}</span>}
        <Facts>
          {headers.map(([name, value]) => (
            <Fact key={name} name={name}>
              <span className="mono">{value}</span>
            </Fact>
          ))}
        </Facts>
      </Part>
    </>
  )
}
