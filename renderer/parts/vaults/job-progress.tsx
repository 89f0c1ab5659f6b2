import { Progress } from '@mantine/core'
import { useState } from 'react'
import type { JobName } from '../../../shared/host/events.ts'
import { Caution, Failure } from '../../ui/failure.tsx'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import { SpokenProgress } from '../../ui/spoken-progress.tsx'
import { cancelJob, useJob } from '../connection/jobs.ts'
import { describeError, hasCode } from '../messages/describe-error.ts'
import { showFailureToast } from '../messages/toast.tsx'
import styles from './job-progress.module.css'
import { strings } from './strings.ts'

/** The progress of a job, with a stop button. Renders nothing while the job is not running. */
export function JobProgress({ job, what }: { job: JobName; what: string }) {
  const progress = useJob(job)
  return (
    <>
      <SpokenProgress what={what} progress={progress} />
      {progress && <Running job={job} what={what} {...progress} />}
    </>
  )
}

function Running({ job, what, done, total }: { job: JobName; what: string; done: number; total: number }) {
  const percent = total === 0 ? 0 : Math.floor((done / total) * 100)
  const left = useTimeLeft(done, total)
  return (
    <div className={styles.root}>
      <Progress value={percent} size="sm" aria-label={what} />
      <span className="faint">
        {strings.percent(percent)}
        {left !== null && ` · ${strings.left(left)}`}
      </span>
      <ActionButton
        label={strings.stop}
        size="compact-xs"
        onClick={() => cancelJob(job).catch(showFailureToast)}
      />
    </div>
  )
}

/** How long a job has to run before its rate says how long it will still take. */
const MIN_MEASURED_MS = 3000

/** How long a job will still take at its rate so far, in seconds; null while that is unknown. */
function useTimeLeft(done: number, total: number): number | null {
  const [start, setStart] = useState({ done, at: Date.now() })
  // The job has started again.
  if (done < start.done) setStart({ done, at: Date.now() })
  const elapsed = Date.now() - start.at
  const made = done - start.done
  return made <= 0 || elapsed < MIN_MEASURED_MS ? null : Math.ceil((elapsed * (total - done)) / made / 1000)
}

/** Why a job failed. A job that the owner stopped has not failed. */
export function JobProblem({ error }: { error: unknown }) {
  if (error === null) return null
  const message = describeError(error)
  return hasCode(error, 'cancelled') ? <Caution>{message}</Caution> : <Failure>{message}</Failure>
}
