import { runJob, useJob } from '../../../parts/connection/jobs.ts'
import { useLoaded } from '../../../parts/connection/use-loaded.tsx'
import { host } from '../../../parts/connection/vault.ts'
import { useAction } from '../../../parts/forms/use-action.ts'
import { showToast } from '../../../parts/messages/toast.tsx'
import { JobProblem, JobProgress } from '../../../parts/vaults/job-progress.tsx'
import { Caution } from '../../../ui/failure.tsx'
import { KeyAction } from './key-action.tsx'
import { strings } from './strings.ts'

const t = strings.data

/** Re-encrypts every token under a new data key; resumes an interrupted rotation. */
export function RotateDataKey() {
  const running = useJob('rotate data key') !== undefined
  const { runAction, problem } = useAction()
  const use = useLoaded(() => host.dataKey())
  const rotateDataKey = () =>
    runAction(async () => {
      await runJob('rotate data key', () => host.rotateDataKey())
      showToast(t.done)
      await use.load()
    })
  return (
    <KeyAction title={t.title} text={t.text} action={t.action} busy={running} onAct={rotateDataKey}>
      {use.value?.is_due && <Caution>{t.due}</Caution>}
      {use.value && <span className="faint">{t.seals(use.value.seals)}</span>}
      <JobProgress job="rotate data key" what={t.running} />
      <JobProblem error={problem} />
    </KeyAction>
  )
}
