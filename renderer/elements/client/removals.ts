import { Observer } from './globals.ts'

type WatchedNode = { readonly node: Node; readonly onRemoved: () => void }

const watched = new Set<WatchedNode>()
const observedRoots = new WeakSet<Node>()
const observer = new Observer(() => {
  for (const each of [...watched]) {
    if (each.node.isConnected) continue
    watched.delete(each)
    each.onRemoved()
  }
})

/** Tells once when a node is no longer in the document: React takes elements out without a word. Returns how to stop. */
export function onRemoval(node: Node, onRemoved: () => void): () => void {
  // A shadow tree is not part of what is above it.
  for (let root = node.getRootNode(); ; root = (root as ShadowRoot).host.getRootNode()) {
    if (!observedRoots.has(root)) observer.observe(root, { childList: true, subtree: true })
    observedRoots.add(root)
    if (!(root instanceof ShadowRoot)) break
  }
  const entry = { node, onRemoved }
  watched.add(entry)
  return () => watched.delete(entry)
}
