//! The token itself.

use core::fmt;

use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::{Arc, Mutex, Weak, lock};

/// Cancels the work that was given this token, or a [child](Self::child) of it. Clones are the same
/// token.
///
/// **What has begun ends; what has not begun is dropped.** A cancelled [`join`](Self::join) does not
/// run its second closure, a cancelled [`scope`](Self::scope) starts no further child, a cancelled
/// [`for_each`](Self::for_each) begins no further item. Closures that do not run are dropped where
/// they would have run, and the section returns when all that it had begun has ended.
///
/// [`is_cancelled`](Self::is_cancelled) reads one flag, a cache line that all readers share until it
/// is written once. Joins and scopes without a token contain no trace of this.
///
/// ```
/// use filch::{CancelToken, Cancelled};
///
/// /// Counts the nodes of a binary tree of this depth.
/// fn count(depth: u32, token: &CancelToken) -> Result<u64, Cancelled> {
///     if depth == 0 {
///         return Ok(1);
///     }
///     let half = || count(depth - 1, token);
///     let (left, right) = token.join(half, half)?;
///     Ok(1 + left? + right?)
/// }
///
/// let token = CancelToken::new();
/// assert_eq!(count(9, &token), Ok(1023));
/// token.cancel();
/// assert_eq!(count(9, &token), Err(Cancelled));
/// ```
///
/// # Parallel iterators
///
/// On rayon's iterators over filch, ask the token in a `try_` consumer, which also stops the other
/// pieces of the loop:
///
/// ```text
/// items.par_iter().try_for_each(|item| {
///     token.check()?;
///     work(item);
///     Ok::<(), Cancelled>(())
/// })
/// ```
#[derive(Clone, Default)]
pub struct CancelToken {
    node: Arc<Node>,
}

#[derive(Default)]
struct Node {
    /// Kept as long as its children, which it passes the news on to.
    parent: Option<Arc<Node>>,
    cancelled: AtomicBool,
    /// Those that are cancelled with this one, unless they are gone.
    children: Mutex<Vec<Weak<Node>>>,
}

impl Node {
    /// Cancels this node alone, and returns its children unless it was cancelled before.
    fn cancel(&self) -> Vec<Weak<Self>> {
        // Ordering: Release pairs with the load in `is_cancelled`.
        if self.cancelled.swap(true, Ordering::Release) {
            return Vec::new();
        }
        core::mem::take(&mut *lock(&self.children))
    }
}

impl Drop for Node {
    /// A long line of ancestors ends without recursion.
    fn drop(&mut self) {
        let mut ancestor = self.parent.take();
        while let Some(node) = ancestor {
            ancestor = Arc::into_inner(node).and_then(|mut node| node.parent.take());
        }
    }
}

impl CancelToken {
    /// A token that is not cancelled.
    pub fn new() -> Self {
        Self::default()
    }

    /// A token that is cancelled with this one, and can also be cancelled alone.
    ///
    /// ```
    /// let request = filch::CancelToken::new();
    /// let (one, other) = (request.child(), request.child());
    /// one.cancel();
    /// assert!(one.is_cancelled() && !other.is_cancelled());
    /// request.cancel();
    /// assert!(other.is_cancelled());
    /// ```
    #[must_use]
    pub fn child(&self) -> Self {
        let node = Node {
            parent: Some(Arc::clone(&self.node)),
            cancelled: AtomicBool::new(false),
            children: Mutex::default(),
        };
        let child = Self {
            node: Arc::new(node),
        };
        let mut children = lock(&self.node.children);
        // A request may make many children one after the other: the list is at most twice as long
        // as the number of those that lived when it last was full.
        if children.len() == children.capacity() {
            children.retain(|child| child.strong_count() > 0);
        }
        children.push(Arc::downgrade(&child.node));
        drop(children);
        // Either `cancel` finds the child in the list, or its store came before our lock.
        if self.is_cancelled() {
            child.cancel();
        }
        child
    }

    /// Cancels the token, for good.
    pub fn cancel(&self) {
        // A list of what is left to do and no recursion: children of children may go deep.
        let mut rest = self.node.cancel();
        while let Some(child) = rest.pop() {
            if let Some(child) = child.upgrade() {
                rest.append(&mut child.cancel());
            }
        }
    }

    /// Whether the token, or one that it is a child of, was cancelled. If so, what the canceller
    /// wrote before is visible.
    #[inline]
    pub fn is_cancelled(&self) -> bool {
        // Ordering: Acquire pairs with the swap in `Node::cancel`.
        self.node.cancelled.load(Ordering::Acquire)
    }

    /// [`is_cancelled`](Self::is_cancelled) as a result, for the `?` operator.
    ///
    /// # Errors
    ///
    /// If the token was cancelled.
    #[inline]
    pub fn check(&self) -> Result<(), Cancelled> {
        if self.is_cancelled() {
            Err(Cancelled)
        } else {
            Ok(())
        }
    }
}

impl fmt::Debug for CancelToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CancelToken")
            .field("is_cancelled", &self.is_cancelled())
            .finish()
    }
}

/// Some of the work was left out, because its token was cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cancelled;

impl fmt::Display for Cancelled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("cancelled: some of the work was not started")
    }
}

impl std::error::Error for Cancelled {}
