import { SegmentedControl } from '@mantine/core'
import type { ReactNode } from 'react'
import type { Permission } from '../../../shared/permissions.ts'
import { ActionButton } from '../../ui/icon-buttons.tsx'
import { useKeys } from '../../ui/keys/use-keys.ts'
import screenStyles from '../../ui/screen.module.css'
import { useIsOwner, useMay } from '../access/view-as.ts'
import { ViewAsRefused } from '../access/view-as-refused.tsx'
import { navigate, useRoute } from '../navigation/route.ts'
import { toHref } from '../navigation/route-text.ts'
import type { Screen } from '../navigation/screens.ts'

type Props<View extends string> = {
  readonly screen: Screen
  readonly strings: {
    readonly title: string
    /** The button that opens the form for a new row; absent if only programs create rows. */
    readonly create?: string
    readonly views?: Readonly<Record<View, string>>
  }
  /** The views by name. The first one is the default, which the URL leaves out. */
  readonly views: Readonly<Record<View, ReactNode>>
  /** Whether viewers other than the owner see all views. Without it, they see the first one. */
  readonly sharesViews?: boolean
  /** Any one of these permits seeing the screen; without them, it always shows the owner's view. */
  readonly permissions?: readonly [Permission, ...Permission[]]
  /** The query of the form that the button opens. */
  readonly newQuery?: Readonly<Record<string, string>>
  readonly notice?: ReactNode
}

/** A screen of one resource: its header with the views and the create button, and the current view. */
export function ResourceScreen<View extends string>(props: Props<View>) {
  const { screen, strings, views, sharesViews = false, permissions, newQuery = { new: '1' }, notice } = props
  const { query } = useRoute()
  const isOwner = useIsOwner()
  const mayRead = useMay(...(permissions ?? []))
  const names = Object.keys(views) as View[]
  const hasViews = isOwner || sharesViews
  const view = names.find((each) => hasViews && each === query.view) ?? names[0]
  // Only the owner may create.
  const mayCreate = isOwner && strings.create !== undefined
  const openNewForm = () => mayCreate && navigate(toHref(screen, null, newQuery))
  useKeys({ 'mod+n': openNewForm, n: openNewForm })
  return (
    <>
      <div className={`${screenStyles.head} ${screenStyles.headLine}`}>
        <h1>{strings.title}</h1>
        {hasViews && strings.views && (
          <SegmentedControl
            aria-label={strings.title}
            data={names.map((value) => ({ value, label: strings.views?.[value] }))}
            value={view ?? ''}
            onChange={(value) =>
              navigate(toHref(screen, null, { view: value === names[0] ? undefined : value }))
            }
          />
        )}
        <div className="space" />
        {mayCreate && (
          <ActionButton variant="filled" icon="plus" label={strings.create} onClick={openNewForm} />
        )}
      </div>
      {notice}
      {permissions && !mayRead ? <ViewAsRefused permission={permissions[0]} /> : view && views[view]}
    </>
  )
}
