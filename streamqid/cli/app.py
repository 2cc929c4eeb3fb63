"""The program with its commands, and their examples."""

from collections.abc import Callable
from typing import Annotated

import typer

from streamqid.cli.anonymize import anonymize
from streamqid.cli.audit import audit
from streamqid.cli.config import config_app
from streamqid.cli.detect import detect
from streamqid.cli.feed import feed
from streamqid.cli.generate import generate
from streamqid.cli.health import health
from streamqid.cli.others import demo, plan, schema
from streamqid.cli.questions import check, keys, mask, scan
from streamqid.cli.run import run
from streamqid.cli.state import state_app

QUESTIONS, SERVICE, OTHERS = "Questions about a table", "The service on Kafka", "Before and beside"
NAMES = "\nNAMES is one name or a list a,b and may be repeated; a name with a comma goes in double quotes."
EXAMPLES: dict[Callable[..., None], tuple[str, ...]] = {
    scan: (
        "streamqid scan people.csv --ignore person_id",
        "streamqid scan people.parquet --beta 0.5 --json > overview.json",
        "streamqid scan people.csv --html overview.html",
    ),
    keys: (
        "streamqid keys people.csv --ignore person_id,row",
        "streamqid keys people.csv --measure distinct --epsilon 0.1",
        "streamqid keys people.csv --only '\"name, first\",zip,age' --weights zip=2",
        "streamqid keys people.csv --solver exact --epsilon 0 --time-limit 30",
        "streamqid keys people.csv --measure k-anonymity --k 5",
        "streamqid keys people.csv --all --epsilon 0 --max-size 3",
        "zcat people.csv.gz | streamqid keys - --rule certified --seed 7 --json",
    ),
    mask: (
        "streamqid mask people.csv --beta 0.8 --must-publish diagnosis",
        "streamqid mask people.csv --measure distinct --beta 0.1 --must-hide zip,age",
        "streamqid mask people.csv --beta 0.8 --solver exact",
    ),
    check: (
        "streamqid check people.csv --columns zip,age,sex",
        "streamqid check people.csv --columns zip --columns age --exact",
    ),
    audit: (
        "streamqid audit people.csv --quasi zip,age,sex --k 5",
        "streamqid audit people.csv --quasi zip,age --sensitive illness,wage --ordered wage --l 2 --t 0.2",
        "streamqid audit people.csv --quasi zip,age,sex --k 5 --html audit.html",
    ),
    anonymize: (
        "streamqid anonymize people.csv --quasi zip,age,sex --keep visit --drop name --k 5 --out safe.csv",
        "streamqid anonymize people.csv --quasi zip,age --sensitive pay --t 0.2 --distance ordered --out safe.csv",
    ),
    detect: (
        "streamqid detect people.csv --identifier person_id --sensitive diagnosis",
        "streamqid detect sales.csv --method articulation --identifier customer --sensitive item --edge customer-item",
        "streamqid detect people.csv --method dependencies,dpi --html report.html",
    ),
    plan: (
        "streamqid plan --columns 14",
        "streamqid plan --columns 54 --rows 581012 --epsilon 0.01 --beta 0.8",
    ),
    generate: (
        "streamqid generate --rows 100000 --out people.csv --truth truth.json",
        "streamqid generate --rows 9000 --drift finer:region@5000 | streamqid scan -",
    ),
    demo: ("streamqid demo", "streamqid demo --live --keep"),
    schema: ("streamqid schema", "streamqid schema keys"),
    run: ("streamqid run --config streamqid.yaml",),
    health: ("streamqid health --config streamqid.yaml --ready",),
    feed: (
        "streamqid feed --topic people",
        "streamqid feed --topic people --rows 200000 --rate 2000 --drift default",
    ),
}

app = typer.Typer(
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
for _command, _lines in EXAMPLES.items():
    _asks = _command in (scan, keys, mask, check, audit, anonymize, detect)
    app.command(
        epilog="\n".join(["", "Examples:", *(f"  {line}" for line in _lines), *([NAMES] if _asks else [])]),
        rich_help_panel=QUESTIONS if _asks else SERVICE if _command in (run, health, feed) else OTHERS,
    )(_command)
app.add_typer(config_app, name="config", rich_help_panel=SERVICE)
app.add_typer(state_app, name="state", rich_help_panel=SERVICE)

START = "\nStart with:\n  streamqid scan people.csv\n"
EXIT_CODES = (
    "\nExit codes: 0 an answer; 1 a limit that --fail watches is not met, or a service is not well; 2 a mistake in the "
    "call, the table or the configuration; 3 saved state that cannot be used; 4 the brokers; 70 a defect or too little "
    "memory; 74 the system refused to write; 130 interrupted; 141 nobody reads the output any more."
)


@app.callback(invoke_without_command=True, epilog=START + EXIT_CODES)
def streamqid(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False,
) -> None:
    """Find quasi-identifiers in tables of microdata, every answer with its guarantee."""
    if version:
        from streamqid import __version__

        typer.echo(f"streamqid {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())
