import { Button, Textarea } from '@mantine/core'
import { useEffect, useRef } from 'react'
import type { TriedReactor } from '../../../shared/schemas/reactor.ts'
import { useSession } from '../../parts/connection/session.ts'
import { startListener } from '../../parts/listener/listener.ts'
import { Problem } from '../../parts/messages/problem.tsx'
import { TokenPicker } from '../../parts/tokens/token-picker.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Key } from '../../ui/keys/keys.tsx'
import { StatusChip } from '../../ui/status-chip.tsx'
import { Code } from '../../ui/text/code.tsx'
import { JsonText } from '../../ui/text/json-view.tsx'
import { milliseconds } from '../../ui/time/milliseconds.ts'
import { TOKEN } from './gallery.ts'
import { RecordLink, TokenLinks } from './run-links.tsx'
import { strings } from './strings.ts'
import type { Trial } from './use-trial.ts'

const t = strings.trial

/** Runs the code with sample args and shows what came of it. */
export function TryReactor({ trial, hasApplication }: { trial: Trial; hasApplication: boolean }) {
  const field = useRef<HTMLTextAreaElement>(null)
  const listener = useSession((session) => session.status?.listener.state)
  const { args, isRunning, ended } = trial
  /** Puts a token where the sample names one, or an expression where the caret is. */
  function put({ id, type }: { readonly id: string; readonly type: string }) {
    if (args.includes(TOKEN)) return trial.setArgs(args.replaceAll(TOKEN, id))
    const { selectionStart = args.length, selectionEnd = args.length } = field.current ?? {}
    const expression = type === 'card' ? `{{ ${id} | json: '$.number' }}` : `{{ ${id} }}`
    trial.setArgs(args.slice(0, selectionStart) + expression + args.slice(selectionEnd))
  }
  return (
    <section className="trial" aria-label={t.label}>
      <Textarea
        ref={field}
        label={t.args}
        description={t.argsHelp}
        autosize
        minRows={4}
        maxRows={14}
        classNames={{ input: 'mono' }}
        spellCheck={false}
        value={args}
        error={trial.wrong}
        onChange={(event) => trial.setArgs(event.currentTarget.value)}
      />
      <TokenPicker label={t.token} onPick={put} />
      {hasApplication && listener !== undefined && listener !== 'on' && (
        <div>
          <span className="dim">{t.listenerOff}</span>{' '}
          <Button size="compact-xs" variant="default" onClick={() => startListener()}>
            {t.start}
          </Button>
        </div>
      )}
      <div className="trial-run">
        {isRunning ? (
          <>
            <Button color="red" leftSection={<Icon name="stop" size={14} />} onClick={trial.stop}>
              {t.stop}
            </Button>
            <span className="faint" role="status">
              {t.running}
            </span>
          </>
        ) : (
          <Button leftSection={<Icon name="play" size={14} />} onClick={trial.run}>
            {t.run} <Key of="mod+enter" />
          </Button>
        )}
      </div>
      <Problem of={trial.problem} />
      <div aria-live="polite">
        {ended ? (
          <Result result={ended.result} />
        ) : (
          !isRunning && trial.problem === null && <p className="faint">{t.idle}</p>
        )}
      </div>
    </section>
  )
}

/** SECURITY: as text alone, because code may return a page. */
function Result({ result }: { result: TriedReactor }) {
  const { status, output, console, duration_ms, trace_id, problem, token_ids } = result
  const shown = indented(output)
  const head = useRef<HTMLDivElement>(null)
  // In a narrow window, the result is far below the code.
  useEffect(() => {
    head.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  return (
    <section aria-label={t.output}>
      <div ref={head} className="trial-line">
        <StatusChip status={status} /> <span className="faint">{t.took(milliseconds(duration_ms))}</span>
        <RecordLink trace_id={trace_id} />
      </div>
      {problem && (
        <p className="trial-problem">
          {problem.place && `${t.at(problem.place.line, problem.place.column)}: `}
          {problem.detail}
        </p>
      )}
      <h3 className="trial-title">{t.output}</h3>
      <Code text={shown} what={t.output} wrap>
        <JsonText text={shown} />
      </Code>
      <h3 className="trial-title">{t.console}</h3>
      {console === '' ? (
        <p className="faint">{t.noConsole}</p>
      ) : (
        <Code text={console} what={t.console} wrap />
      )}
      {token_ids.length > 0 && (
        <>
          <h3 className="trial-title">{t.tokens}</h3>
          <TokenLinks ids={token_ids} />
        </>
      )}
    </section>
  )
}

/** JSON on lines of its own. */
function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    // Any other text, or JSON with dots in place of a number.
    return text
  }
}
