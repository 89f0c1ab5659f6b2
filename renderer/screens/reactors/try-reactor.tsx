import { Group } from '@mantine/core'
import { useEffect, useRef } from 'react'
import type { ReactorTestResult } from '../../../shared/schemas/reactor.ts'
import { useSession } from '../../parts/connection/session.ts'
import { startListener } from '../../parts/listener/listener.ts'
import { Problem } from '../../parts/messages/problem.tsx'
import { TokenPicker } from '../../parts/tokens/token-picker.tsx'
import { MonoArea } from '../../ui/fields/mono-fields.tsx'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import { StatusChip } from '../../ui/status-chip.tsx'
import { Code } from '../../ui/text/code.tsx'
import { JsonText } from '../../ui/text/json-view.tsx'
import { formatDuration } from '../../ui/time/milliseconds.ts'
import { TOKEN } from './gallery.ts'
import { hasClient, isForNode22, type ReactorDraft } from './reactor-draft.ts'
import styles from './reactors.module.css'
import { RecordLink, TokenLinks } from './run-links.tsx'
import { strings } from './strings.ts'
import type { TestRun } from './use-test-run.ts'

const t = strings.testRun

/** Runs the code with sample args and shows the result. */
export function TryReactor({ testRun, draft }: { testRun: TestRun; draft: ReactorDraft }) {
  const field = useRef<HTMLTextAreaElement>(null)
  const listener = useSession((session) => session.status?.listener.state)
  const { args, isRunning, finished } = testRun
  /** Replaces the placeholder with a token ID, or inserts an expression at the caret. */
  function insertToken({ id, type }: { readonly id: string; readonly type: string }) {
    if (args.includes(TOKEN)) return testRun.setArgs(args.replaceAll(TOKEN, id))
    const { selectionStart = args.length, selectionEnd = args.length } = field.current ?? {}
    const expression = type === 'card' ? `{{ ${id} | json: '$.number' }}` : `{{ ${id} }}`
    testRun.setArgs(args.slice(0, selectionStart) + expression + args.slice(selectionEnd))
  }
  return (
    <section className={styles.trial} aria-label={t.label}>
      <MonoArea
        ref={field}
        label={isForNode22(draft) ? t.body : t.args}
        description={t.argsHelp}
        value={args}
        error={testRun.wrong}
        onChange={(event) => testRun.setArgs(event.currentTarget.value)}
      />
      <TokenPicker label={t.token} onPick={insertToken} />
      {hasClient(draft) && listener !== undefined && listener !== 'on' && (
        <div>
          <span className="dim">{t.listenerOff}</span>{' '}
          <ActionButton label={t.start} size="compact-xs" onClick={() => startListener()} />
        </div>
      )}
      <div className={styles.trialRun}>
        {isRunning ? (
          <>
            <ActionButton variant="filled" icon="stop" label={t.stop} color="red" onClick={testRun.stop} />
            <span className="faint" role="status">
              {t.running}
            </span>
          </>
        ) : (
          <ActionButton
            variant="filled"
            icon="play"
            label={t.run}
            shortcut="mod+enter"
            onClick={testRun.run}
          />
        )}
      </div>
      <Problem of={testRun.problem} />
      <div aria-live="polite">
        {finished ? (
          <Result result={finished.result} />
        ) : (
          !isRunning && testRun.problem === null && <p className="faint">{t.idle}</p>
        )}
      </div>
    </section>
  )
}

/** SECURITY: rendered as text only, because code may return HTML. */
function Result({ result }: { result: ReactorTestResult }) {
  const { status, output, console, duration_ms, trace_id, problem, token_ids } = result
  const formatted = formatJson(output)
  const head = useRef<HTMLDivElement>(null)
  // Scrolls to the result, which is far below the code in a narrow window.
  useEffect(() => {
    head.current?.scrollIntoView({ block: 'nearest' })
  }, [])
  return (
    <section aria-label={t.output}>
      <Group ref={head} gap="6px 12px" fz={12}>
        <StatusChip status={status} /> <span className="faint">{formatDuration(duration_ms)}</span>
        <RecordLink trace_id={trace_id} />
      </Group>
      {problem && (
        <p className={styles.trialProblem}>
          {problem.place && `${t.at(problem.place.line, problem.place.column)}: `}
          {problem.detail}
        </p>
      )}
      <h3 className={styles.trialTitle}>{t.output}</h3>
      <Code text={formatted} what={t.output} wrap>
        <JsonText text={formatted} />
      </Code>
      <h3 className={styles.trialTitle}>{t.console}</h3>
      {console === '' ? (
        <p className="faint">{t.noConsole}</p>
      ) : (
        <Code text={console} what={t.console} wrap />
      )}
      {token_ids.length > 0 && (
        <>
          <h3 className={styles.trialTitle}>{t.tokens}</h3>
          <TokenLinks ids={token_ids} />
        </>
      )}
    </section>
  )
}

/** Indents JSON. Any other text is returned unchanged. */
function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    // The text is not JSON, or a number in it is redacted.
    return text
  }
}
