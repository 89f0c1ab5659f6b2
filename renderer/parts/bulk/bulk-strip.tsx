import { Progress } from '@mantine/core'
import { Icon } from '../../ui/icon.tsx'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import { type Done, SpokenProgress } from '../../ui/spoken-progress.tsx'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { useNow } from '../../ui/time/use-now.ts'
import { useJob } from '../connection/jobs.ts'
import { describeDone, dismissReport, type StartedBulkAction, stopBulk, useBulk } from './bulk-store.ts'
import styles from './bulk-strip.module.css'
import { strings } from './strings.ts'

const t = strings.strip

/** The strip at the bottom of every screen that shows a running bulk action: undo, progress, result. */
export function BulkStrip() {
  const { started, ended } = useBulk()
  const job = useJob('selected tokens')
  // Without progress, the action may still be in its undo period. A reloaded page does not know which action
  // was started, so `started` is null.
  const mayWait = job?.done === 0 && (started === null || started.until !== undefined)
  const what = started ? t.spoken(strings.verbs[started.action.do][0], started.tokens) : t.other
  return (
    <>
      <SpokenProgress what={what} progress={mayWait ? undefined : job} />
      {job ? <Job begun={started} job={job} /> : ended && <Ended {...ended} />}
    </>
  )
}

function Job({ begun, job }: { begun: StartedBulkAction | null; job: Done }) {
  if (!begun) return <Running text={job.done === 0 ? t.otherWaiting(job.total) : t.other} {...job} />
  if (begun.until !== undefined && job.done === 0) return <Waiting begun={begun} until={begun.until} />
  return <Running text={t.running(strings.verbs[begun.action.do][0], job.done, begun.tokens)} {...job} />
}

function Waiting({ begun: { tokens }, until }: { begun: StartedBulkAction; until: number }) {
  const now = useNow(250)
  const left = Math.max(0, Math.ceil((until - now) / 1000))
  return (
    <div className={styles.root} role="status">
      <Icon name="trash" size={14} />
      <span className={styles.text}>{t.waiting(tokens)}</span>
      <span className={styles.seconds} aria-hidden="true">
        {t.seconds(left)}
      </span>
      <ActionButton variant="filled" icon="undo" label={t.undo} size="compact-sm" onClick={stopBulk} />
    </div>
  )
}

function Running({ text, done, total }: { text: string; done: number; total: number }) {
  return (
    <div className={styles.root}>
      <span className={styles.text}>{text}</span>
      <Progress flex="0 1 240px" value={total === 0 ? 0 : (done / total) * 100} size="sm" aria-label={text} />
      <ActionButton label={t.stop} size="compact-sm" onClick={stopBulk} />
    </div>
  )
}

function Ended({ action, report }: NonNullable<ReturnType<typeof useBulk.getState>['ended']>) {
  const { tokens, done, refused, problem } = report
  const refusedTokens = refused.reduce((sum, each) => sum + each.tokens, 0)
  const left = tokens - done - refusedTokens
  return (
    <div className={styles.root} role="alert">
      <Icon name="alert" size={14} />
      <div className={styles.text}>
        {describeDone(action)} {done.toLocaleString('en')} of {strings.tokens(tokens)}.{' '}
        {left > 0 && t.left(left)} {problem}
        {refused.length > 0 && (
          <ul>
            {refused.map(({ reason, tokens, ids }) => (
              <li key={reason}>
                {t.refused(tokens)} {reason} <CopyButton value={ids.join('\n')} what={t.ids} />
              </li>
            ))}
          </ul>
        )}
      </div>
      <ActionButton label={t.dismiss} size="compact-sm" onClick={dismissReport} />
    </div>
  )
}
