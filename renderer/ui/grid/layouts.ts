import { useCallback } from 'react'
import { create } from 'zustand'
import type { Layout } from './layout.ts'

type Layouts = Readonly<Record<string, Layout>>

const useLayouts = create<Layouts>(() => ({}))
const asListed: Layout = {}

let storeLayouts: (layouts: Layouts) => void = () => {}

export function setLayoutStorage(store: (layouts: Layouts) => void): void {
  storeLayouts = store
}

/** Applies stored layouts, if they differ from the current ones. */
export function applyLayouts(layouts: Layouts): void {
  if (JSON.stringify(layouts) !== JSON.stringify(useLayouts.getState())) useLayouts.setState(layouts, true)
}

/** The layout of a list by its name, and a function that changes it; null resets it. */
export function useLayout(name: string): readonly [Layout, (layout: Layout | null) => void] {
  const layout = useLayouts((layouts) => layouts[name]) ?? asListed
  const change = useCallback(
    (next: Layout | null): void => {
      const { [name]: _, ...others } = useLayouts.getState()
      const layouts = next === null ? others : { ...others, [name]: next }
      useLayouts.setState(layouts, true)
      storeLayouts(layouts)
    },
    [name],
  )
  return [layout, change]
}
