"""The documents that commands print with --json, by the name of the question."""

from importlib import import_module

from pydantic import BaseModel

from streamqid.errors import UsageError

_PROBLEMS = "streamqid.problems"
HOMES = {
    "keys": (f"{_PROBLEMS}.answer", "KeyAnswer"),
    "keys-all": (f"{_PROBLEMS}.minimal_answer", "MinimalAnswer"),
    "mask": (f"{_PROBLEMS}.answer", "MaskAnswer"),
    "check": (f"{_PROBLEMS}.answer", "CheckAnswer"),
    "scan": (f"{_PROBLEMS}.answer", "ScanAnswer"),
    "plan": (f"{_PROBLEMS}.answer", "PlanAnswer"),
    "audit": ("streamqid.audits.answer", "AuditAnswer"),
    "anonymize": ("streamqid.anonymize.answer", "AnonymizeAnswer"),
    "detect": (f"{_PROBLEMS}.findings", "DetectAnswer"),
    "optimal-keys": (f"{_PROBLEMS}.optimum_answer", "OptimalKeyAnswer"),
    "optimal-mask": (f"{_PROBLEMS}.optimum_answer", "OptimalMaskAnswer"),
    "k-anonymity": (f"{_PROBLEMS}.qid_answer", "QidAnswer"),
    "dependencies": (f"{_PROBLEMS}.dependencies_answer", "DependenciesAnswer"),
    "articulation": (f"{_PROBLEMS}.articulation_on_samples", "ArticulationAnswer"),
    "recommendation": ("streamqid.engine.documents", "Recommendation"),
    "alert": ("streamqid.engine.alerts", "Alert"),
    "drift": ("streamqid.engine.alerts", "DriftEvent"),
}


def models(answer: str | None = None) -> list[type[BaseModel]]:
    """Return the document of one question, or of all of them."""
    if answer is not None and answer not in HOMES:
        msg = f"There is no answer {answer!r}: name one of {', '.join(HOMES)}."
        raise UsageError(msg)
    homes = HOMES.values() if answer is None else [HOMES[answer]]
    return [getattr(import_module(module), name) for module, name in homes]
