import { Button, Popover } from '@mantine/core'
import { useState } from 'react'
import type { TokenSort } from '../../../../shared/find.ts'
import { useKeys } from '../../../ui/keys/use-keys.ts'
import { getVaultNow } from '../../../ui/time/clock.ts'
import { strings } from '../strings.ts'
import styles from '../tokens.module.css'

const t = strings.date

type Props = { readonly sort: TokenSort; readonly onGo: (until: string) => void }

/** Asks for a day, and goes to the first token of that day in the list's order. */
export function GoToDate({ sort, onGo }: Props) {
  const [opened, setOpened] = useState(false)
  useKeys({ g: () => setOpened(true) })
  return (
    <Popover opened={opened} onChange={setOpened} position="top-end" trapFocus returnFocus>
      <Popover.Target>
        <Button
          variant="subtle"
          color="gray"
          size="compact-xs"
          title={`${t.go} (G)`}
          onClick={() => setOpened(!opened)}
        >
          {t.go}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={t.go}>
        <form
          className={styles.date}
          onSubmit={(event) => {
            event.preventDefault()
            const day = String(new FormData(event.currentTarget).get('day') ?? '')
            if (day === '') return
            setOpened(false)
            onGo(toFirstTime(day, sort))
          }}
        >
          <input
            type="date"
            name="day"
            aria-label={t.day}
            defaultValue={formatDay(getVaultNow())}
            max={formatDay(getVaultNow())}
            data-autofocus
          />
          <Button type="submit" size="compact-sm">
            {t.show}
          </Button>
        </form>
      </Popover.Dropdown>
    </Popover>
  )
}

/** A day in this machine's time zone, as in a date field. */
function formatDay(ms: number): string {
  const at = new Date(ms)
  return new Date(ms - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 10)
}

/** The end of a day where the list comes to it from later days, otherwise its beginning. */
function toFirstTime(day: string, sort: TokenSort): string {
  const time = sort === 'newest' ? '23:59:59.999' : '00:00:00.000'
  return new Date(`${day}T${time}`).toISOString()
}
