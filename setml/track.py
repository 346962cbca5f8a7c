"""Cards followed from picture to picture, so that what a camera sees is read once and holds still."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
import numpy.typing as npt

from setml.cards import Card
from setml.extractors.quads import overlap
from setml.sets import find_sets
from setml.solution import FoundCard, Solution
from setml.solver import CERTAIN
from setml.table import read_together

Floats = npt.NDArray[np.float64]

#: What was read before counts so much less with each picture.
FADING: Final = 0.9
#: A card is shown from so many pictures on.
PICTURES_TO_APPEAR: Final = 2
#: Seconds for which a card that is not seen is still shown: a hand may be over it.
PATIENCE: Final = 2.0
#: Of two pictures, quadrilaterals that share more, intersection over union, are the same card.
SAME_PLACE: Final = 0.4
#: The reading that is shown counts so many times, so that two about equal ones do not take turns.
HELD: Final = 2.0
#: Corners that move by less than this, in a card's short sides, are the camera's unrest, which is averaged out.
UNREST: Final = 0.06


@dataclass(eq=False)
class _Track:
    """One card on the table: where it is, and all that was read of it."""

    name: int
    corners: Floats
    votes: Floats
    last_seen: float
    pictures: int = 1
    shown: Card | None = None

    @property
    def likeliest(self) -> tuple[int, ...]:
        """The places of the four values that were read most."""
        return tuple(self.votes.argmax(axis=1).tolist())

    def see(self, found: FoundCard, now: float) -> None:
        corners = np.asarray(found.corners, float)
        turned = np.roll(corners, 2, axis=0)
        corners = min((corners, turned), key=lambda quad: float(np.abs(quad - self.corners).sum()))
        side = max(float(np.linalg.norm(corners[1] - corners[0])), 1.0)
        still = np.abs(corners - self.corners).max() < UNREST * side
        self.corners = 0.8 * self.corners + 0.2 * corners if still else corners
        self.votes = FADING * self.votes + votes_of(found)
        self.last_seen = now
        self.pictures += 1


def votes_of(found: FoundCard) -> Floats:
    """Say how much each value of each attribute of a card that was found counts: (4, 3)."""
    values = np.eye(3)[list(found.card.places)] if found.probabilities is None else found.probabilities
    return np.asarray(values, float) * max(found.confidence, 0.05)


@dataclass(frozen=True)
class Tracked:
    """What is on the table as far as all pictures up to now tell.

    Attributes
    ----------
    solution : Solution
        Its cards and sets.
    names : tuple of int
        Of each card a number that stays the same as long as the card lies there.
    has_changed : bool
        Whether other cards lie there than after the picture before.
    """

    solution: Solution
    names: tuple[int, ...]
    has_changed: bool


@dataclass(eq=False)
class Tracker:
    """Follows the cards of a table through the pictures of a camera that stands still, or nearly.

    Parameters
    ----------
    patience : float
        Seconds for which a card that is not seen is still shown.

    Examples
    --------
    >>> from setml import Solver, draw_table
    >>> solver, tracker = Solver(), Tracker()
    >>> table = draw_table(4, seed=3, surface="dark")
    >>> for now in (0.0, 0.1, 0.2):
    ...     tracked = tracker.update(solver.solve(table.image), now)
    >>> len(tracked.solution.cards), tracked.names, tracked.has_changed
    (4, (0, 1, 2, 3), False)
    """

    patience: float = PATIENCE
    _tracks: list[_Track] = field(default_factory=list)
    _names: int = 0
    _told: frozenset[Card] = frozenset()

    def update(self, solution: Solution, now: float) -> Tracked:
        """Take in what was read off the next picture.

        Parameters
        ----------
        solution : Solution
            Of that picture alone.
        now : float
            Seconds on a clock of any zero; it does not run backwards.
        """
        seen = self._match(solution)
        for place, found in enumerate(solution.cards):
            if place in seen:
                seen[place].see(found, now)
            else:
                corners = np.asarray(found.corners, float)
                self._tracks.append(_Track(self._names, corners, votes_of(found), now))
                self._names += 1
        self._forget(now)
        shown = [track for track in self._tracks if track.pictures >= PICTURES_TO_APPEAR]
        cards = self._read(shown)
        told = frozenset(found.card for found in cards)
        has_changed, self._told = told != self._told, told
        sets = find_sets([found.card for found in cards])
        read = Solution(solution.image, solution.width, solution.height, cards, tuple(sets), solution.seconds)
        return Tracked(read, tuple(track.name for track in shown), has_changed)

    def _match(self, solution: Solution) -> dict[int, _Track]:
        """Tell which card that was found is which that was known: the most overlapping pairs first."""
        shares = []
        for place, found in enumerate(solution.cards):
            for track in self._tracks:
                share = overlap(found.corners, track.corners)
                if share > SAME_PLACE:
                    shares.append((share, place, track.name))
        matched: dict[int, _Track] = {}
        taken: set[int] = set()
        by_name = {track.name: track for track in self._tracks}
        for _, place, name in sorted(shares, reverse=True):
            if place not in matched and name not in taken:
                matched[place] = by_name[name]
                taken.add(name)
        return matched

    def _forget(self, now: float) -> None:
        """Let go of what has not been seen for long, what was glimpsed once, and what another card lies on."""
        fresh = [track for track in self._tracks if track.last_seen == now and track.pictures >= PICTURES_TO_APPEAR]
        read = {track.likeliest for track in fresh}

        def stays(track: _Track) -> bool:
            if track.last_seen == now:
                return True
            if track.pictures < PICTURES_TO_APPEAR or now - track.last_seen > self.patience:
                return False
            # The same card elsewhere: it was moved.
            if track.likeliest in read:
                return False
            return not any(overlap(track.corners, other.corners) > SAME_PLACE for other in fresh)

        self._tracks = [track for track in self._tracks if stays(track)]

    def _read(self, shown: Sequence[_Track]) -> tuple[FoundCard, ...]:
        """Read the votes of all cards together, those held that are shown."""
        if not shown:
            return ()
        votes = np.stack([track.votes for track in shown])
        for track, values in zip(shown, votes, strict=True):
            if track.shown is not None:
                values[np.arange(4), list(track.shown.places)] *= HELD
        table = read_together(votes / votes.sum(axis=2, keepdims=True))
        cards = []
        for track, card, confidence in zip(shown, table.cards, table.confidence, strict=True):
            track.shown = card
            cards.append(FoundCard(card, track.corners, float(min(confidence, 1.0)), bool(confidence >= CERTAIN)))
        return tuple(cards)
