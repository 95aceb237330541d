"""How far people and judges agree: labels in, coefficients with intervals out. The shape of a label: docs/labels.md."""
