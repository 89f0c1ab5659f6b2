import { Button, SegmentedControl } from '@mantine/core'
import { useEffect } from 'react'
import { Icon } from '../../ui/icon.tsx'
import { keepPlace } from './left-lists.ts'
import { go } from './route.ts'
import { hrefOf, type Screen } from './route-text.ts'

type Props<View extends string> = {
  readonly screen: Screen
  readonly title: string
  /** The first of them is shown without a member in the address. */
  readonly views: readonly View[]
  readonly labels: Readonly<Record<View, string>>
  readonly view: View
  /** Others see neither the views nor the button. */
  readonly isOwner: boolean
  /** Others see the views too, but not the button. */
  readonly sharesViews?: boolean
  readonly create: string
  readonly onCreate: () => void
}

/** The head of a screen with several views, and the button that creates what it lists. */
export function ScreenHead<View extends string>(props: Props<View>) {
  const { screen, title, views, labels, view, isOwner, sharesViews, create, onCreate } = props
  /** What the address says of a view. */
  const memberOf = (value: View) => (value === views[0] ? undefined : value)
  const member = memberOf(view)
  useEffect(() => keepPlace(screen, { view: member }), [screen, member])
  return (
    <div className="screen-head screen-head-line">
      <h1>{title}</h1>
      {(isOwner || sharesViews) && (
        <SegmentedControl
          className="tabs"
          aria-label={title}
          data={views.map((value) => ({ value, label: labels[value] }))}
          value={view}
          onChange={(value) => go(hrefOf(screen, null, { view: memberOf(value) }))}
        />
      )}
      <div className="screen-head-space" />
      {isOwner && (
        <Button leftSection={<Icon name="plus" size={14} />} onClick={onCreate}>
          {create}
        </Button>
      )}
    </div>
  )
}
