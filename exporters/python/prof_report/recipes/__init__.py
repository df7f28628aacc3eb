"""Recipes: tables of many reports, as nsys's recipes make them."""
