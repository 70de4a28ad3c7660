"""Materials in SI units: shells, solids and rods, with presets to start from."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from .energies.solids.lame import lame_parameters, plane_stress_lame_parameters

YOUNG_LIMITS = (1.0, 1e13)  # Pa: above the softest gels', below ten diamonds'
DENSITY_LIMITS = (0.01, 1e5)  # kg/m^3: below aerogel's, above osmium's
THICKNESS_LIMITS = (1e-7, 1.0)  # m, of shells and rods
GRAVITY = 9.81  # m/s^2
SAG = 0.11  # of its height: how far jelly of 5 kPa sinks in a dessert bowl, 0.11 m high, and the example


@dataclass(frozen=True)
class Shell:
    """A sheet of fabric, leather or the like.

    area_density: kg/m^2. thickness: m, also how far apart layers keep. young: Pa, such that young
    thickness is the membrane's stiffness, N/m. poisson: in the plane. bending: N m, the moment for each
    metre of width and each 1/m of curvature; apart from young and thickness, as what a fabric first does
    when it is pulled is to straighten its yarns, and when it is bent, to let them slide.
    Raises ValueError for what no sheet is like.
    """

    area_density: float
    thickness: float
    young: float
    poisson: float
    bending: float

    def __post_init__(self) -> None:
        _within("thickness", self.thickness, THICKNESS_LIMITS, "m")
        _within("Young's modulus", self.young, YOUNG_LIMITS, "Pa")
        _poisson(self.poisson)
        _positive("area density", self.area_density, "kg/m^2")
        _within("density (area density over thickness)", self.density, DENSITY_LIMITS, "kg/m^3")
        if not 0.0 <= self.bending < math.inf:
            raise ValueError(f"The bending stiffness must be 0 N m or more, not {self.bending:g} N m.")

    @property
    def density(self) -> float:
        """kg/m^3."""
        return self.area_density / self.thickness

    @property
    def membrane(self) -> tuple[float, float]:
        """Lame's parameters (mu, lam) of plane stress times the thickness, N/m."""
        mu, lam = plane_stress_lame_parameters(self.young, self.poisson)
        return float(mu * self.thickness), float(lam * self.thickness)


@dataclass(frozen=True)
class Solid:
    """A body that fills a volume. density: kg/m^3; young: Pa; poisson. Raises ValueError as Shell does."""

    density: float
    young: float
    poisson: float

    def __post_init__(self) -> None:
        _within("density", self.density, DENSITY_LIMITS, "kg/m^3")
        _within("Young's modulus", self.young, YOUNG_LIMITS, "Pa")
        _poisson(self.poisson)

    @property
    def lame(self) -> tuple[float, float]:
        """Lame's parameters (mu, lam), Pa."""
        mu, lam = lame_parameters(self.young, self.poisson)
        return float(mu), float(lam)


@dataclass(frozen=True)
class Rod:
    """A fibre or a strand with a round section.

    density: kg/m^3. young, shear: Pa; shear is apart from young, as fibres are not isotropic. radius: m.
    Raises ValueError as Shell does.
    """

    density: float
    young: float
    shear: float
    radius: float

    def __post_init__(self) -> None:
        _within("density", self.density, DENSITY_LIMITS, "kg/m^3")
        _within("Young's modulus", self.young, YOUNG_LIMITS, "Pa")
        _within("shear modulus", self.shear, YOUNG_LIMITS, "Pa")
        _within("radius", self.radius, THICKNESS_LIMITS, "m")

    @property
    def line_density(self) -> float:
        """kg/m."""
        return self.density * math.pi * self.radius**2

    @property
    def stretching(self) -> float:
        """E A, N."""
        return self.young * math.pi * self.radius**2

    @property
    def bending(self) -> float:
        """E I, N m^2."""
        return self.young * math.pi * self.radius**4 / 4.0

    @property
    def twisting(self) -> float:
        """G J, N m^2."""
        return self.shear * math.pi * self.radius**4 / 2.0


@dataclass(frozen=True)
class Springs:
    """Cloth of springs, of a range of fabrics.

    stretch_low, stretch_high: N/m. bending_low, bending_high: N m. area_density: kg/m^2. thickness: m, which
    colliders are larger by. friction: Coulomb's coefficient.
    """

    stretch_low: float
    stretch_high: float
    bending_low: float
    bending_high: float
    area_density: float
    thickness: float
    friction: float


def young_for_height(height: float, density: float, sag: float = SAG) -> float:
    """Young's modulus E, Pa, with which a body of this height, m, sinks by `sag` heights under its weight.

    The weight above a height z is rho g (h - z) for each square metre, so a column is strained there by
    rho g (h - z) / E, and sinks in all by rho g h^2 / (2 E): of its height by rho g h / (2 E). One twice as
    large must be twice as stiff to sink by the same share; else a cow of dessert jelly drips to the floor.
    Within the limits of a material.
    """
    young = density * GRAVITY * height / (2.0 * sag)
    return min(max(young, YOUNG_LIMITS[0]), YOUNG_LIMITS[1])


def _within(name: str, value: float, limits: tuple[float, float], unit: str) -> None:
    low, high = limits
    if not low <= value <= high:
        raise ValueError(f"The {name} must be from {low:g} to {high:g} {unit}, not {value:g} {unit}.")


def _positive(name: str, value: float, unit: str) -> None:
    if not 0.0 < value < math.inf:
        raise ValueError(f"The {name} must be above 0 {unit}, not {value:g} {unit}.")


def _poisson(value: float) -> None:
    if not -1.0 < value < 0.5:
        raise ValueError(f"Poisson's ratio must be above -1 and below 0.5, not {value:g}.")


# Fabrics differ by more than a factor of two in each of these, and along warp and weft: rounded values of
# single specimens, to start from.
SHELLS: Mapping[str, Shell] = MappingProxyType(
    {
        # Density, thickness, Young's modulus and Poisson's ratio of a plain weave: Penava, Simic Penava and
        # Knezic 2014, as Li, Kaufman and Jiang 2021, "Codimensional incremental potential contact", have
        # them. Bending: of the order of shirtings' by Kawabata 1980, 0.1 gf cm^2/cm.
        "cotton": Shell(area_density=0.15, thickness=0.32e-3, young=0.82e6, poisson=0.24, bending=1.0e-5),
        # Area density, stretching (2 kN/m) and bending: "11oz Black Denim" of Wang, O'Brien and Ramamoorthi
        # 2011, "Data-driven elastic models for cloth". Thickness: Li, Kaufman and Jiang 2021.
        "denim": Shell(area_density=0.324, thickness=0.66e-3, young=3.0e6, poisson=0.2, bending=6.4e-5),
        # Thickness and Young's modulus: Li, Kaufman and Jiang 2021. Area density: of a crepe de Chine.
        # Bending: 0.012 gf cm^2/cm, with which it drapes by 35 % on Cusick's disc; dress silks 20 to 40.
        "silk": Shell(area_density=0.06, thickness=0.18e-3, young=0.57e6, poisson=0.3, bending=1.2e-6),
        # Of the order of garment leather's at small strains; bending is young thickness^3
        # / (12 (1 - poisson^2)), as there are no yarns to slide.
        "leather": Shell(area_density=0.6, thickness=0.9e-3, young=1.0e7, poisson=0.4, bending=7.2e-4),
    }
)

SOLIDS: Mapping[str, Solid] = MappingProxyType(
    {
        # Vulcanised natural rubber, of a shear modulus of 0.4 MPa: Treloar 1975, "The physics of rubber
        # elasticity". Nearly incompressible; as near as tetrahedra allow without locking.
        "rubber": Solid(density=950.0, young=1.2e6, poisson=0.48),
        # Soft platinum-cured casting silicone such as Ecoflex 00-30: Smooth-On's data sheet, by its 100 %
        # modulus of 69 kPa.
        "silicone": Solid(density=1070.0, young=7.0e4, poisson=0.48),
        # Of the order of gelatine gels of a few per cent, such as Hall et al. 1997 measure for phantoms.
        "jelly": Solid(density=1020.0, young=5.0e3, poisson=0.47),
        # Relaxed muscle and fat: 3 kPa of Samani, Zubovits and Plewes 2007 for fat, and up to some ten of
        # muscle. Density: ICRU report 44.
        "flesh": Solid(density=1050.0, young=8.0e3, poisson=0.47),
    }
)

RODS: Mapping[str, Rod] = MappingProxyType(
    {
        # One human hair: Robbins 2012, "Chemical and physical behavior of human hair".
        "hair": Rod(density=1320.0, young=3.9e9, shear=0.89e9, radius=4.0e-5),
    }
)

SPRINGS: Mapping[str, Springs] = MappingProxyType(
    {
        # The range that docs/methods/hierarchical_cloth.md has measured.
        "cloth": Springs(100.0, 1000.0, 2e-5, 1e-3, area_density=0.15, thickness=4e-3, friction=0.3),
    }
)
