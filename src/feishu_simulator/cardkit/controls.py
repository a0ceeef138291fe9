"""What a person can press, choose or fill in on a card, and what their act sends to the bot."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from feishu_simulator.cardkit.card_json import top_elements
from feishu_simulator.cardkit.reading import text_of

Json = dict[str, Any]

FIELDS: Final = frozenset(
    {"input", "checker", "select_static", "multi_select_static", "select_img"}
    | {"select_person", "multi_select_person", "date_picker", "picker_time", "picker_datetime"}
)
CONTROLS: Final = FIELDS | {"button", "overflow", "interactive_container"}
INNER: Final = ("columns", "elements", "actions", "extra")
WITHOUT_NAME: Final = 200530


class ControlError(ValueError):
    """The person's Feishu would not offer the act: no such control, a disabled one, a required field left empty."""


@dataclass(frozen=True, slots=True)
class Control:
    """One control of a card as it is drawn; `form` is the form around it."""

    node: Json
    form: Json | None = None

    @property
    def tag(self) -> str:
        """Its kind."""
        return str(self.node["tag"])

    @property
    def text(self) -> str:
        """The words on it."""
        return text_of(self.node.get("text")) or text_of(self.node.get("placeholder"))

    @property
    def name(self) -> str | None:
        """Its name in a form."""
        return self.node.get("name")

    @property
    def element_id(self) -> str | None:
        """Its id for CardKit."""
        return self.node.get("element_id")

    @property
    def kind(self) -> str:
        """How it is drawn: primary, danger, default and so on."""
        return str(self.node.get("type", "default"))

    @property
    def disabled(self) -> bool:
        """Say whether it cannot be used."""
        return self.node.get("disabled") is True

    @property
    def value(self) -> Any:
        """What the bot gets back of it: the callback's value, or the older field; None when there is none."""
        callback = self._behaviour("callback")
        return callback.get("value") if callback is not None else self.node.get("value")

    @property
    def action(self) -> str:
        """What a press does: `submit` or `reset` a form, `callback`, or `local` when the bot hears nothing."""
        asked = str(self.node.get("form_action_type") or self.node.get("action_type") or "").removeprefix("form_")
        if self.form is not None and asked in ("submit", "reset"):
            return asked
        if self.form is not None and self.tag in FIELDS:
            return "local"
        heard = self._behaviour("callback") is not None or self.node.get("value") is not None
        return "callback" if heard or self.tag == "overflow" else "local"

    def _behaviour(self, kind: str) -> Json | None:
        found = self.node.get("behaviors")
        listed = found if isinstance(found, list) else []
        return next((item for item in listed if isinstance(item, dict) and item.get("type") == kind), None)


@dataclass(frozen=True, slots=True)
class Press:
    """Which control a person uses and what they put in; the first one that has all of the given marks is meant."""

    element: str | None = None
    name: str | None = None
    value: Any = None
    text: str | None = None
    tag: str | None = None
    form_value: Json | None = None
    option: str | None = None
    options: list[str] | None = None
    input_value: str | None = None
    checked: bool | None = None

    def means(self, control: Control) -> bool:
        """Say whether the control has the given marks."""
        marks = (
            (self.element, control.element_id),
            (self.name, control.name),
            (self.value, control.value),
            (self.text, control.text),
            (self.tag, control.tag),
        )
        return all(asked is None or asked == found for asked, found in marks)


def controls(card: Json) -> list[Control]:
    """Return a card's controls in the order of its text."""
    return [control for element in top_elements(card) for control in _within(element, None)]


def buttons(card: Json) -> list[Control]:
    """Return a card's buttons."""
    return [control for control in controls(card) if control.tag == "button"]


def chosen(card: Json, press: Press) -> Control:
    """Return the control that is meant."""
    control = next((control for control in controls(card) if press.means(control)), None)
    if control is None:
        raise ControlError("the card has no such control")
    if control.disabled:
        raise ControlError("the control is disabled")
    return control


def action_of(control: Control, press: Press) -> Json:
    """Return the `action` object of the callback."""
    given = {
        "value": control.value,
        "tag": control.tag,
        "name": control.name,
        "option": press.option,
        "options": press.options,
        "input_value": press.input_value,
        "checked": press.checked,
    }
    action = {name: value for name, value in given.items() if value is not None}
    if control.action == "submit" and control.form is not None:
        action["form_value"] = _form_value(control.form, press.form_value or {})
    if "picker" in control.tag:
        action["timezone"] = "Asia/Shanghai"
    return action


def lacks_a_name(control: Control) -> bool:
    """Say whether a form cannot be sent because it, or a control in it, has no name."""
    form = control.form
    if form is None or control.action != "submit":
        return False
    inside = [item for item in _within(form, None) if item.tag in FIELDS or item.action in ("submit", "reset")]
    return not form.get("name") or any(not item.name for item in inside)


def _within(element: object, form: Json | None) -> Iterator[Control]:
    if not isinstance(element, dict):
        return
    if element.get("tag") in CONTROLS:
        yield Control(element, form)
    within = element if element.get("tag") == "form" else form
    for name in INNER:
        inner = element.get(name)
        for item in inner if isinstance(inner, list) else [inner]:
            yield from _within(item, within)


def _form_value(form: Json, given: Json) -> Json:
    """Return what a form holds: what was filled in over what stood there before."""
    found: Json = {}
    for control in _within(form, None):
        if control.tag not in FIELDS or not control.name:
            continue
        value = given.get(control.name, _initial(control.node))
        if value in (None, "", []):
            if control.node.get("required") is True:
                raise ControlError(f"{control.name} is required")
            continue
        found[control.name] = value
    unknown = given.keys() - {control.name for control in _within(form, None)}
    if unknown:
        raise ControlError(f"the form has no {sorted(unknown)[0]}")
    return found


def _initial(field: Json) -> Any:
    match field["tag"]:
        case "input":
            return field.get("default_value") or None
        case "checker":
            return field.get("checked") is True
        case "multi_select_static" | "multi_select_person" | "select_img":
            return field.get("selected_values")
        case "select_static":
            return field.get("initial_option") or _indexed(field)
        case _:
            return next((value for name, value in field.items() if name.startswith("initial_")), None)


def _indexed(field: Json) -> Any:
    """Return the option that the 1-based `initial_index` names."""
    index, options = field.get("initial_index"), field.get("options") or []
    if isinstance(index, int) and 1 <= index <= len(options):
        return options[index - 1].get("value")
    return None
