import { Button } from '@mantine/core'
import { useState } from 'react'
import { type ClockAhead, formatClockAhead } from '../../../shared/clock-ahead.ts'
import { host } from '../../parts/connection/vault.ts'
import { useAction } from '../../parts/forms/use-action.ts'
import { showFailureToast } from '../../parts/messages/toast.tsx'
import { Icon } from '../../ui/icon.tsx'
import styles from './frame.module.css'
import { strings } from './strings.ts'

const t = strings.clock

/** Asks the owner to confirm a clock that is far ahead, because expired data would be deleted for good. */
export function ClockStrip({ ahead }: { ahead: ClockAhead }) {
  const [wrong, setWrong] = useState(false)
  const { runAction, state } = useAction()
  const acceptClock = () => runAction(() => host.acceptClock().catch(showFailureToast))
  return (
    <div className={styles.clockStrip} role="alert">
      <Icon name="alert" size={14} />
      <span>{wrong ? t.setIt : `${formatClockAhead(ahead)} ${t.waiting}`}</span>
      <Button
        size="compact-xs"
        variant="light"
        color="amber"
        loading={state === 'running'}
        onClick={() => void acceptClock()}
      >
        {t.right}
      </Button>
      {!wrong && (
        <Button size="compact-xs" variant="default" onClick={() => setWrong(true)}>
          {t.wrong}
        </Button>
      )}
    </div>
  )
}
